"""Language models that run here: loading them, and asking one for Yes or No without generating."""
