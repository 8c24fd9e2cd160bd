"""What becomes of memories with time: they fade, expire, are let go, settle into facts."""
