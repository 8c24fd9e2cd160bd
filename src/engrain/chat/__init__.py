"""Chat logs and chat message formats."""
