"""Which settings the agent of `XSearch` gets, and what does not go together."""

import json

from _native_or_local import mine, settings, show
from pydantic_ai.capabilities import XSearch
from pydantic_ai.native_tools import XSearchTool

OWN = XSearchTool(allowed_x_handles=['n'], include_output=True)
for label, options in [
    ('plain', {}),
    ('settings', {'include_output': True}),
    ('own native', {'native': OWN}),
    ('own native and settings', {'native': OWN, 'allowed_x_handles': ['q']}),
    ('function', {'native': lambda ctx: None, 'include_output': True}),
    ('no native', {'native': False, 'excluded_x_handles': ['e']}),
]:
    capability = XSearch(fallback_model='x:y', **options)
    tool = capability.local.function.__self__
    print(json.dumps([label, settings(capability.native), settings(tool.native_tool), tool.model, tool.instructions]))
show('both lists', lambda: XSearch(native=OWN, excluded_x_handles=['q'], fallback_model='x:y'))
show('both', lambda: XSearch(fallback_model='x:y', local=mine))
show('both, off', lambda: XSearch(fallback_model='x:y', local=False))
for value in (True, 'name'):
    show(['local', value], lambda: XSearch(local=value))
