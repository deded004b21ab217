"""The version that is installed: the tag of the repository decided it when the package was built."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version('stead')
except PackageNotFoundError:  # the sources are on the path, and were never installed
    __version__ = '0+unknown'
