"""The durable working memory of a session."""
