"""The keys of a server: who may come in from outside, what is kept of them, and what they do under their own name."""
