"""What does a language model think of a text, and how far can it be trusted?"""
