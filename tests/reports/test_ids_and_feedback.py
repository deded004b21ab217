"""Ids of other vendors are in the letters that a vendor takes, and feedback of either form reads the same."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from stead.messages import (
    RetryFeedbackPart,
    RetryInfo,
)
from stead.models._wire.call_ids import ANTHROPIC_IDS, BEDROCK_IDS


@pytest.mark.parametrize('call_id', ['événement', '呼び出し', 'ª'])
def test_letters_of_other_alphabets_stand_in_no_id(call_id: str) -> None:
    for rules in (ANTHROPIC_IDS, BEDROCK_IDS):
        assert rules.fit(call_id).isascii()
    assert ANTHROPIC_IDS.fit('call_1') == 'call_1'


def test_feedback_about_values_of_a_program_reads_as_other_feedback() -> None:
    errors: Any = [{'type': 'date', 'loc': ('day',), 'msg': 'Too early', 'input': date(2026, 1, 2)}]
    text = RetryFeedbackPart(errors, retry=RetryInfo('validation_error')).model_response()
    assert '"input":"2026-01-02"' in text.replace('": "', '":"')
