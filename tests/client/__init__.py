"""The client, against a real server over a real store."""
