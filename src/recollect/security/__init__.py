"""Whose word counts for how much, and a trail that cannot be quietly edited."""
