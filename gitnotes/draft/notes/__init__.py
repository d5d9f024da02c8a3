"""Which modules make a release note out of a commit tree?"""
