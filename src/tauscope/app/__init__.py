"""The local web app: drop files, ask, move a slider, take the answer away. It computes nothing itself."""
