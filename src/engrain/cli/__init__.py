"""The command line: one command for each operation of the table, and commands for the store as a whole."""
