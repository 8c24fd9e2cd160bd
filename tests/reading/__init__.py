"""How what was remembered is found, ranked and packed."""
