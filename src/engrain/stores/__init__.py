"""The wings: engines that keep memories behind one door."""
