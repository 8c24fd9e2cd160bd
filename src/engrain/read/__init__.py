"""The way out: a question understood, memories found, ranked and packed."""
