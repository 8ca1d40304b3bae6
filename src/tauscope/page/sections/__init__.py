"""One module a question: each takes the material and gives a section, or None where the input cannot answer it."""
