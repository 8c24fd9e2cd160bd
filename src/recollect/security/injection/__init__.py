"""Texts written to steer whoever reads them as a prompt."""
