"""The values of OpenAI's SDK for arguments that are left out, which programs import from here."""

from __future__ import annotations

from openai import NOT_GIVEN, Omit

OMIT = Omit()

__all__ = ('NOT_GIVEN', 'OMIT')
