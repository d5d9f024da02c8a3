"""How does a model learn to write like a project, and how is it proved that it does?"""
