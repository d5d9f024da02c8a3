"""What does gitnotes do? Each function is one use, step by step, and calls the rooms for each step."""
