"""Conversations: what is gathered from their turns."""
