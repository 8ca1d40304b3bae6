"""Every formula in plain NumPy and Python: this is the definition, and what runs where no compiler was found."""
