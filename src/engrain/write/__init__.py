"""The way in: a text checked, described, compared and stored in one transaction."""
