"""What would a language model write? It is asked here or at a server, and its reply is checked."""
