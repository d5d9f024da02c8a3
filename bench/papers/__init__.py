"""Which numbers of the papers on commit message metrics can be had again?"""
