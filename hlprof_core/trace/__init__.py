"""The columnar trace store."""
