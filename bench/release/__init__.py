"""How near do release notes come to those of people, beside what other tools write?"""
