"""The docks around the timeline; each is a stranger to the others, they meet in the state."""
