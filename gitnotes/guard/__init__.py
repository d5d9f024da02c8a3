"""What must not pass? Escape sequences, invisible characters, secrets."""
