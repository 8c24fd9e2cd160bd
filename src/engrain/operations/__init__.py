"""The operations that every interface offers: their schema, the table of them, and calls from outside the process."""
