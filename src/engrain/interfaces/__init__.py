"""The street: how people and programs outside Python reach a `MemoryManager`."""
