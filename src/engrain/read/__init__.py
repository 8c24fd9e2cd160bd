"""The read path: `recall.py` analyses a question, retrieves and ranks memories; `packing.py` packs them in a prompt."""
