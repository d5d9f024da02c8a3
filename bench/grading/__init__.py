"""How well does the grade agree with people, and how are its numbers fitted?"""
