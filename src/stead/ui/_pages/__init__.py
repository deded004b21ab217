"""The pages: their files, the JSON that they read, and the conversations and runs behind it."""

from __future__ import annotations
