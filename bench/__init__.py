"""What can be measured about gitnotes, and with which command?"""
