"""Settings of `ImageGeneration` and the native tool made of them."""

from _native_or_local import mine, show
from pydantic_ai.capabilities import ImageGeneration

SETTINGS = [
    {},
    {'action': 'edit'},
    {'background': 'opaque'},
    {'input_fidelity': 'high'},
    {'moderation': 'low'},
    {'image_model': 'm'},
    {'output_compression': 0},
    {'output_format': 'png'},
    {'quality': 'low'},
    {'size': '1K'},
    {'aspect_ratio': '1:1'},
    {'size': '2K', 'quality': 'high', 'image_model': 'gpt-image-1'},
]
for options in SETTINGS:
    show(['nothing local', options], lambda: ImageGeneration(**options))
    show(['own', options], lambda: ImageGeneration(local=mine, **options))
    show(['own only', options], lambda: ImageGeneration(native=False, local=mine, **options))
    show(['agent', options], lambda: ImageGeneration(fallback_model='x:y', **options))
for value in (True, False, 'name'):
    show(['local', value], lambda: ImageGeneration(local=value))
    show(['local only', value], lambda: ImageGeneration(native=False, local=value))
