"""Hooks that answer or recover in place of output validation and processing."""

from _capabilities import Out, recover

recover('output_validate', lambda: Out(n=99))
recover('output_process', lambda: Out(n=98))
