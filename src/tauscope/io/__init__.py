"""Reading and writing: tables, output of evaluation tools, data frames and dicts become labelled objects."""
