"""Analysis of text: tokens, dates, names, numbers, negation, markers of change, statements."""
