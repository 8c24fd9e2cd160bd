"""What waits for a verdict, and what the verdicts do."""
