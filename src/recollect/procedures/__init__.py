"""How things get done: procedures stored, found, rated, shown, and mined from what was done before."""
