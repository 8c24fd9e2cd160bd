"""The write path: `pipeline.py` prepares a text, compares it with known memories and stores it in one transaction."""
