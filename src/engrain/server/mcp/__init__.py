"""Memory over MCP: a few tools made from the table of operations, over stdio and over HTTP."""
