#!/bin/sh
# Prints the newest Python of 3.11 or later that this machine has.
for name in python3.14 python3.13 python3.12 python3.11 python3 python; do
    if command -v "$name" >/dev/null 2>&1 &&
        "$name" -c 'import sys; raise SystemExit(sys.version_info < (3, 11))' 2>/dev/null; then
        command -v "$name"
        exit 0
    fi
done
echo "Fathom needs Python 3.11 or later, and none was found. Install it (Debian, Ubuntu: apt-get install python3 python3-venv)." >&2
exit 1
