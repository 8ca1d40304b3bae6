"""Which differences between systems are more than chance?"""
