"""For tests whose programs ask for more memory than there is."""
import os
import resource


def limit_memory(gibibytes):
    """Of the process that calls it, as a subprocess's preexec_fn does."""
    if "ASAN_OPTIONS" in os.environ:  # whose shadow is terabytes of address space
        return
    resource.setrlimit(resource.RLIMIT_DATA, (gibibytes << 30, gibibytes << 30))
