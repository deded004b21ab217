"""Types of outputs that the tests of several vendors ask for."""

from __future__ import annotations

from pydantic import BaseModel


class City(BaseModel):
    name: str
    people: int
