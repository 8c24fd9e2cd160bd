"""How things are done: procedures kept, found, rated by their outcomes, and mined from what was done."""
