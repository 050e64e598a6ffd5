"""Compiled programs, kept in memory and in a folder.

A file holds a line with the hash of the rest, the signature as a line of JSON, and an object
file. Its name is the hash of all that the code depends on; a file that is damaged or of
another process that died while it wrote is made again.
"""
import hashlib
import os
import tempfile

from . import _core

_functions = {}


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
    parts += [f"{name}={request[name]}" for name in sorted(request) if name != "name"]
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
    if digest != _hash(content):
        return None
    signature, _, code = content.partition(b"\n")
    return code, signature.decode()


def _write(path, built):
    code, signature = built
    content = signature.encode() + b"\n" + code
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=os.path.dirname(path))
        with os.fdopen(descriptor, "wb") as file:
            file.write(_hash(content) + b"\n" + content)
        os.replace(name, path)
    except OSError:
        pass  # a full or read-only disk only costs time


def get(request, build, load):
    """The function of `request`: from memory, from the folder, or built."""
    key = _key(request)
    function = _functions.get(key)
    if function is not None:
        return function
    folder = _folder()
    path = folder and os.path.join(folder, key + ".norm")
    built = path and _read(path)
    if not built:
        built = build()
        if path:
            _write(path, built)
    # Of two threads that compiled at once, both get one function.
    return _functions.setdefault(key, load(built))
