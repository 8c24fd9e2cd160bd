"""Answers from memories: evidence is gathered and quoted, and every sentence of an answer cites its sources."""
