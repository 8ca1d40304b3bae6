"""Would the ranking hold?

The expected correlation of an observed ranking with the true one, and what follows from it.
"""
