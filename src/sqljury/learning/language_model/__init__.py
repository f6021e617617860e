"""Local language models: loads them, samples texts, and scores Yes or No without generating."""
