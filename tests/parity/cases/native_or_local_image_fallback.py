"""Which settings the agent of `ImageGeneration` gets, and what does not go together."""

import json

from _native_or_local import mine, settings, show
from pydantic_ai.capabilities import ImageGeneration
from pydantic_ai.native_tools import ImageGenerationTool

OWN = ImageGenerationTool(size='2K', quality='high')
for label, options in [
    ('plain', {}),
    ('settings', {'size': '1K'}),
    ('own native', {'native': OWN}),
    ('own native and settings', {'native': OWN, 'size': '1K'}),
    ('function', {'native': lambda ctx: None, 'size': '1K'}),
    ('no native', {'native': False, 'action': 'edit'}),
]:
    capability = ImageGeneration(fallback_model='x:y', **options)
    tool = capability.local.function.__self__
    print(json.dumps([label, settings(capability.native), settings(tool.native_tool), tool.model, tool.instructions]))
show('both', lambda: ImageGeneration(fallback_model='x:y', local=mine))
show('both, off', lambda: ImageGeneration(fallback_model='x:y', local=False))
show('neither', lambda: ImageGeneration(native=False))
