"""Packages that only some programs need: checked when something is made that needs them, loaded on first use."""

from __future__ import annotations

import importlib
import importlib.util
from functools import cache
from typing import Any


def require_extra(module: str, *, extra: str, what: str) -> None:
    """Raise if a package is not installed, without loading it.

    Raises:
        ImportError: It is not; the message names the extra to install.
    """
    try:
        found = importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # its parent is missing
        found = False
    if not found:
        raise missing(module, extra=extra, what=what)


def load_extra(module: str, *, extra: str, what: str) -> Any:
    """Return a module of a package that may not be installed.

    Raises:
        ImportError: It is not; the message names the extra to install.
    """
    require_extra(module, extra=extra, what=what)
    return importlib.import_module(module)


def missing(module: str, *, extra: str, what: str) -> ImportError:
    """Return the error that says how to install what is missing."""
    package = module.partition('.')[0] if extra != 'google' else 'google-genai'
    return ImportError(f'{what} needs the package {package!r}. Install it with `pip install "stead[{extra}]"`.')


@cache
def shared_tls() -> Any:
    """Return the TLS settings that all HTTP clients share: reading the certificates takes longer than a short run."""
    import os
    import ssl

    given, folder = os.environ.get('SSL_CERT_FILE'), os.environ.get('SSL_CERT_DIR')
    if given or folder:
        return ssl.create_default_context(cafile=given, capath=folder)
    try:
        import certifi
    except ImportError:
        return ssl.create_default_context()
    return ssl.create_default_context(cafile=certifi.where())
