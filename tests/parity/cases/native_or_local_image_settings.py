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
for given in SETTINGS:
    show(['nothing local', given], lambda: ImageGeneration(**given))
    show(['own', given], lambda: ImageGeneration(local=mine, **given))
    show(['own only', given], lambda: ImageGeneration(native=False, local=mine, **given))
    show(['agent', given], lambda: ImageGeneration(fallback_model='x:y', **given))
for value in (True, False, 'name'):
    show(['local', value], lambda: ImageGeneration(local=value))
    show(['local only', value], lambda: ImageGeneration(native=False, local=value))
