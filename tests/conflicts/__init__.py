"""What a new memory does to those that are known."""
