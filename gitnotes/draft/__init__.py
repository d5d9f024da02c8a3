"""What could be written? Drafters turn a change or a commit tree into text."""
