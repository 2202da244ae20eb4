# SPDX-License-Identifier: MIT
"""Finds libmeniscus and its headers, and makes them known to cffi (ABI mode: nothing is compiled)."""

import os
import pathlib
import re

import cffi

HEADERS = ["base.h", "defs.h", "world.h", "live.h", "mesh.h", "output.h", "scene.h"]

ffi = cffi.FFI()


class Error(Exception):
    """A call failed. `result` is the library's code, `key` the dotted name of what is wrong, if it is known."""

    def __init__(self, message, result=0, key=""):
        super().__init__(message)
        self.result = result
        self.key = key


def _places(kind):
    """Folders to look in: what the environment says, a build of this source tree, and where it may be installed."""
    root = pathlib.Path(__file__).resolve().parents[2]
    if kind == "include":
        return [os.environ.get("MENISCUS_INCLUDE"), root / "include", *(p / "include" for p in root.parents),
                "/usr/local/include", "/usr/include"]
    return [os.environ.get("MENISCUS_LIBRARY"), root / "build" / "lib", root / "build", root / "lib", *(p / "lib" for p in root.parents),
            "/usr/local/lib", "/usr/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"]


def find_library():
    """The path of libmeniscus.so; MENISCUS_LIBRARY (a file or its folder) comes first."""
    for place in _places("lib"):
        if not place:
            continue
        path = pathlib.Path(place)
        if path.is_file():
            return str(path)
        found = sorted(path.glob("libmeniscus.so*")) if path.is_dir() else []
        if found:
            return str(found[0])
    raise ImportError("libmeniscus.so was not found: build it with make, or set MENISCUS_LIBRARY")


def _include():
    for place in _places("include"):
        if place and (pathlib.Path(place) / "meniscus" / "live.h").is_file():
            return pathlib.Path(place) / "meniscus"
    raise ImportError("the headers of meniscus were not found: set MENISCUS_INCLUDE to the folder that has meniscus/meniscus.h")


def _declarations(text):
    """A public header without what only compilers need. They have no macros but constants, which are the caller's."""
    text = re.sub(r"#ifdef __cplusplus\n.*?#endif\n", "", text, flags=re.S)
    text = re.sub(r"//[^\n]*", "", text)
    lines = [line for line in text.split("\n") if not line.startswith("#")]
    return "\n".join(lines).replace("MN_API", "")


def _read():
    folder = _include()
    ffi.cdef("\n".join(_declarations((folder / name).read_text()) for name in HEADERS) + "\nvoid free(void* pointer);")


_read()
lib = ffi.dlopen(find_library())
libc = ffi.dlopen(None)
AUTO = -1


def version():
    """The version of the library."""
    return ffi.string(lib.mn_version()).decode()


def new_error():
    return ffi.new("mn_Error*")


def fail(error):
    """Raises what the library said."""
    buffer = ffi.new("char[1024]")
    lib.mn_error_text(error, buffer, 1024)
    raise Error(ffi.string(buffer).decode(errors="replace"), int(error.result), ffi.string(error.key).decode(errors="replace"))


def check(result, error):
    if result != lib.MN_OK:
        fail(error)


def take_text(pointer):
    """A string that the library gave away."""
    text = ffi.string(pointer).decode()
    libc.free(pointer)
    return text


def _constant(name):
    return getattr(lib, name)


def _enum_value(kind, value):
    """Words of scenes for constants: "rigid" is MN_SOLID_RIGID."""
    if isinstance(value, int):
        return value
    for name, number in kind.relements.items():
        if name.lower().endswith("_" + value.lower()):
            return number
    raise Error(f"{value!r} is not one of {', '.join(kind.relements)}")


def _count_of(kind, name):
    fields = dict(kind.fields)
    stems = [name[:-1] if name.endswith("s") else name, name, name[:-2]]
    return next((stem + "_count" for stem in stems if stem + "_count" in fields), None)


def _default(kind):
    """What the library says that a struct begins with: mn_PourDef is made by mn_default_pour_def(). None: zeros."""
    words = re.sub(r"(?<!^)(?=[A-Z])", "_", kind.cname.replace("mn_", "")).lower()
    make = getattr(lib, "mn_default_" + words, None)
    return make() if make else None


def fill(struct, values, keep):
    """Sets fields of a definition. `keep` holds on to what it points to; names that are not fields are errors."""
    kind = ffi.typeof(struct).item if ffi.typeof(struct).kind == "pointer" else ffi.typeof(struct)
    fields = dict(kind.fields)
    for name, value in values.items():
        if name not in fields:
            raise Error(f"{name!r} is not a field of {kind.cname}; there are {', '.join(fields)}", key=name)
        _set(struct, kind, name, fields[name].type, value, keep)
        if "has_" + name in fields:
            setattr(struct, "has_" + name, value is not None)


def _set(struct, kind, name, field, value, keep):
    if field.kind == "struct":
        target = getattr(struct, name)
        fill(target, value if isinstance(value, dict) else dict(zip((f for f, _ in field.fields), value)), keep)
    elif field.kind == "enum":
        setattr(struct, name, _enum_value(field, value))
    elif field.kind == "array":
        for k, number in enumerate(value):
            getattr(struct, name)[k] = number
    elif field.kind == "pointer" and field.item.cname in ("char", "char const", "const char"):
        text = ffi.NULL if value is None else ffi.new("char[]", value.encode())
        keep.append(text)
        setattr(struct, name, text)
    elif field.kind == "pointer":
        items = ffi.new(f"{field.item.cname}[]", max(len(value), 1))
        keep.append(items)
        for k, item in enumerate(value):
            first = _default(field.item)
            if first is not None:
                items[k] = first
            fill(items[k], item if isinstance(item, dict) else dict(zip((f for f, _ in field.item.fields), item)), keep)
        setattr(struct, name, items)
        setattr(struct, _count_of(kind, name), len(value))
    else:
        setattr(struct, name, value)
