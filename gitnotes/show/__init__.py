"""How does a result look? Terminal and JSON."""
