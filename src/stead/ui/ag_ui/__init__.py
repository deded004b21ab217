"""AG-UI, the Agent-User Interaction protocol: an adapter, and the stream of its events. Needs the extra `ag-ui`."""

from __future__ import annotations

from ..._kit.extras import naming_extra
from ..._kit.lazy import lazy_modules

with naming_extra('ag_ui', extra='ag-ui', what='AG-UI'):
    from ._adapter import AGUIAdapter
    from ._event_stream import AGUIEventStream
    from ._version import DEFAULT_AG_UI_VERSION

__all__ = ('DEFAULT_AG_UI_VERSION', 'AGUIAdapter', 'AGUIEventStream')

lazy_modules(__name__)
