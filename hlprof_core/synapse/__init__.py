"""What runs on a Gaudi: graphs, the compiler, timing models, the runtime and its API."""
