"""The manager's own methods for a program that reaches a memory through a server."""
