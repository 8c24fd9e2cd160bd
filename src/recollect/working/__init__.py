"""Working memory: the durable log of a session, the window over it, and what becomes of both."""
