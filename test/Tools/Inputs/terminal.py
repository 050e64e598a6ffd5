"""terminal.py COMMAND...: runs it on a terminal of its own, prints what shows."""
import os
import pty
import sys

status = pty.spawn(sys.argv[1:])
sys.exit(os.waitstatus_to_exitcode(status))
