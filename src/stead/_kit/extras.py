"""Optional packages: checked when an object that needs them is created, imported on first use."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any


def require_extra(module: str, *, extra: str, what: str) -> None:
    """Raise an error if a package is not installed, without importing it.

    Raises:
        ImportError: It is not installed; the message names the extra to install.
    """
    try:
        installed = importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # its parent is missing
        installed = False
    except ValueError:  # a module that a program put there by hand
        installed = True
    if not installed:
        raise missing(module, extra=extra, what=what)


def load_extra(module: str, *, extra: str, what: str) -> Any:
    """Return a module of a package that may not be installed.

    Raises:
        ImportError: It is not installed, and the message names the extra to install; or it is installed and cannot be
            loaded, as when a library of the system is missing, and the message has the reason.
    """
    require_extra(module, extra=extra, what=what)
    try:
        return importlib.import_module(module)
    except (ImportError, OSError) as error:  # libraries that are loaded with ctypes raise the latter
        package = module.partition('.')[0]
        if package == __name__.partition('.')[0]:
            raise  # modules of our own say what they need
        raise ImportError(
            f'{what} needs the package {package!r}, which is installed and cannot be loaded: {error}. Install what is '
            f'missing, or install the package again with `pip install --force-reinstall "stead[{extra}]"`.'
        ) from error


def missing(module: str, *, extra: str, what: str) -> ImportError:
    """Return the error for a missing package, which says how to install it."""
    package = module.partition('.')[0] if extra != 'google' else 'google-genai'
    return ImportError(f'{what} needs the package {package!r}. Install it with `pip install "stead[{extra}]"`.')


@contextmanager
def naming_extra(package: str, *, extra: str, what: str) -> Iterator[None]:
    """Import modules of our own that need a package, which may not be installed, inside the `with` block.

    Raises:
        ImportError: It is not installed; the message names the extra to install.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or '').partition('.')[0] != package:
            raise
        raise missing(package, extra=extra, what=what) from error


def load_transport() -> None:
    """Load what HTTP clients and their connections load when they are first used, which would hold up an event loop then."""
    import sys
    from contextlib import suppress

    for library, core in (('httpx', 'httpcore'), ('httpx2', 'httpcore2')):
        if library in sys.modules:
            for module in (core, 'h11', 'anyio._backends._asyncio'):
                with suppress(ImportError):
                    importlib.import_module(module)
    shared_tls()


@cache
def shared_tls() -> Any:
    """Return the TLS settings that all HTTP clients share: reading the certificates takes longer than a short run."""
    import os
    import ssl

    file, folder = os.environ.get('SSL_CERT_FILE'), os.environ.get('SSL_CERT_DIR')
    if file or folder:
        return ssl.create_default_context(cafile=file, capath=folder)
    try:
        import certifi
    except ImportError:
        return ssl.create_default_context()
    return ssl.create_default_context(cafile=certifi.where())
