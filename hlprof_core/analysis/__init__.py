"""What a trace tells about the work in it: one module for each question, all of them in ``catalog``."""
