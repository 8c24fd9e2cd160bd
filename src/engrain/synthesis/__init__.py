"""Answers composed of memories: evidence is gathered and quoted, told in a format, and every sentence held to it."""
