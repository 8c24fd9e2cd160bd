"""What a text states: its plain fact, the markers of change in it, and when two texts say the same. Pure."""
