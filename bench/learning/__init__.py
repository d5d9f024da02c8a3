"""What is claimed about learning from histories, measured?"""
