"""The operations that every interface offers: their schema, their table, and calls from outside the process."""
