"""Servers: REST, MCP, and the commands that start and measure them."""
