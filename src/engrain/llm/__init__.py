"""Language models: clients, calls within a budget, prompts, replies, and the tasks of models."""
