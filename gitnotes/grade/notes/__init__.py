"""What is a release note worth against the changes of its range?"""
