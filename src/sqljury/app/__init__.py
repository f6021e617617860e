"""The browser app: a server on this machine for looking at runs, labelling and deciding."""
