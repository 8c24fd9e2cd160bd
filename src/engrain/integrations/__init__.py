"""Adapters that put a memory behind the interfaces of other frameworks, a module each."""
