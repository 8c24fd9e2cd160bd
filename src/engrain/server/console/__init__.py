"""The console: pages in a browser over the same operations, keys and scopes as REST and MCP."""
