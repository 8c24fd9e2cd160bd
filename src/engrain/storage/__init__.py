"""Where memories are kept: one interface, and the engines behind it."""
