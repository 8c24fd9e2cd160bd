"""The search index of a process: columns, masks, postings and vectors of a namespace, held as arrays."""
