"""One module per foreign format: each recognises its files and reads them into pieces."""
