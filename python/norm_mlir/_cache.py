"""Compiled programs, kept in memory and in a folder.

A file holds a line with the hash of the rest, which for a function is its signature as a line
of JSON and an object file. Its name is the hash of all that the rest depends on; a file that is
damaged or of another process that died while it wrote is made again.
"""
import hashlib
import os
import tempfile
from collections.abc import Callable
from typing import Any

from . import _core

_functions: dict[str, _core.Function] = {}


def _folder():
    default = os.path.join(os.environ.get("XDG_CACHE_HOME")
                           or os.path.join(os.path.expanduser("~"), ".cache"), "norm-mlir")
    return os.environ.get("NORM_MLIR_CACHE", default)


# The file's date tells builds of one version apart.
_built = os.stat(_core.__file__)
_BUILD = [_core.version, _core.llvm_version, _core.host_cpu(),
          f"{_built.st_mtime_ns} {_built.st_size}"]


def _key(request):
    parts = list(_BUILD)
    parts += [f"{name}={request[name]}" for name in sorted(request)]
    digest = hashlib.sha256()
    for part in parts:
        encoded = part.encode()
        digest.update(b"%d:" % len(encoded) + encoded)
    return digest.hexdigest()


def _hash(content):
    return hashlib.sha256(content).hexdigest().encode()


def _read(path):
    try:
        with open(path, "rb") as file:
            digest, _, content = file.read().partition(b"\n")
    except OSError:
        return None
    return content if digest == _hash(content) else None


def _write(path, content):
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=os.path.dirname(path))
        with os.fdopen(descriptor, "wb") as file:
            file.write(_hash(content) + b"\n" + content)
        os.replace(name, path)
    except OSError:
        pass  # a full or read-only disk only costs time


def fetch(request: dict[str, Any], build: Callable[[], bytes]) -> bytes:
    """The entry of `request` in the folder, or what `build` returns, which is kept there."""
    folder = _folder()
    path = folder and os.path.join(folder, _key(request) + ".norm")
    content = path and _read(path)
    if not content:
        content = build()
        if path:
            _write(path, content)
    return content


def get(request: dict[str, Any], build: Callable[[], tuple[bytes, str]],
        load: Callable[[tuple[bytes, str]], _core.Function]) -> _core.Function:
    """The function of `request`: from memory, from the folder, or built."""
    def pack():
        code, signature = build()
        return signature.encode() + b"\n" + code

    key = _key(request)
    function = _functions.get(key)
    if function is not None:
        return function
    signature, _, code = fetch(request, pack).partition(b"\n")
    # Of two threads that compiled at once, both get one function.
    return _functions.setdefault(key, load((code, signature.decode())))
