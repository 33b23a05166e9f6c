"""Programs that train or run models on the device: plain users of the runtime that know nothing of profiling."""
