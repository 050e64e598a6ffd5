// Compiled once: the sources of every target reuse its header.
