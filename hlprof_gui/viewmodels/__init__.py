"""What the panels say, worked out without Qt."""
