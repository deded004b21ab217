"""Settings of `XSearch`, and the native tool made of them."""

from datetime import datetime

from _native_or_local import mine, show
from pydantic_ai.capabilities import XSearch

SETTINGS = [
    ('none', {}),
    ('allowed', {'allowed_x_handles': ['a']}),
    ('excluded', {'excluded_x_handles': ['a']}),
    ('empty', {'allowed_x_handles': []}),
    ('images', {'enable_image_understanding': True}),
    ('no images', {'enable_image_understanding': False}),
    ('videos', {'enable_video_understanding': True}),
    ('output', {'include_output': True}),
    ('from', {'from_date': datetime(2020, 1, 1)}),
    ('to', {'to_date': datetime(2020, 1, 2)}),
]
for label, options in SETTINGS:
    show(['nothing local', label], lambda: XSearch(**options))
    show(['own', label], lambda: XSearch(local=mine, **options))
    show(['own only', label], lambda: XSearch(native=False, local=mine, **options))
    show(['agent', label], lambda: XSearch(fallback_model='x:y', **options))
    show(['agent only', label], lambda: XSearch(native=False, fallback_model='x:y', **options))
