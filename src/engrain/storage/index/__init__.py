"""The search index of a process: columns, masks, postings and vectors of a namespace, kept as arrays."""
