"""Can this judge stand in for the truth, and what is it worth?"""
