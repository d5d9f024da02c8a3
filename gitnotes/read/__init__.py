"""What does git say? Everything that starts git or reads its answers."""
