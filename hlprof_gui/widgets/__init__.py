"""Small parts the window is made of."""
