"""What the SQL engines share: filters, tables, reading, writing and copying."""
