"""What type checkers and editors know of the public API."""
