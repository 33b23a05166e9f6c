"""Item models: what tables and trees show, fetched as it is looked at."""
