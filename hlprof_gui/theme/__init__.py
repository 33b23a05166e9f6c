"""Colours, fonts and icons of the window."""
