"""What operations return as JSON: written, described, read back."""
