"""SQL shared by the engines: filters, tables, reading, writing and copying."""
