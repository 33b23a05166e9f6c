"""Windows over the window."""
