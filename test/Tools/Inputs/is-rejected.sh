#!/bin/sh
# Exits 1 while recognition rejects something in $1 for its divisor.
norm-opt "$1" --norm-recognize --remarks-filter=norm.* 2>&1 >/dev/null |
  grep -q wrong-divisor && exit 1
exit 0
