"""How long work takes, one model per engine class."""
