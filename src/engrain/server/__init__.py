"""The HTTP server: REST, MCP and probes over one `MemoryManager`."""
