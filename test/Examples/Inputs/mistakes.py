"""Appends one mistake of each kind to a document. Usage: mistakes.py DOCUMENT"""
import sys

with open(sys.argv[1], "a", encoding="utf-8") as f:
    f.write("""
[a](Nowhere.md) [b](Norm.md#nothing)

```console
$ norm-opt --no-such-option
```

```console no-run
$ norm-run forever
```

`norm-run --emit=obj`, `norm-opt --norm-to-cpu=nonsense=1`, `norm-recognize{nothing=1}`,
`norm-nonsense`, `norm.layernorm`, `make nonsense`.
""")
