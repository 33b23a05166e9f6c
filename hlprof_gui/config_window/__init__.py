"""The configuration window: pages upon one document, and what is always in sight of it."""
