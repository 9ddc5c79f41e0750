/* A library that does nothing: stands in for a broken shim. */
int assay_idle_library(void) { return 0; }
