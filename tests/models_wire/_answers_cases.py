"""Answers with every kind of item, block and event that the SDKs know, whole and streamed; see `record.py`."""

from __future__ import annotations

import _answers_anthropic_cases as anthropic
import _answers_chat_cases as chat
import _answers_responses_cases as responses
import _answers_runs_cases as runs
from _vendors import Cases, Clients

cases = Cases()
cases.join(responses.cases, anthropic.cases, chat.cases, runs.cases)

# What is better here than there: arguments of native calls are whole, however they came; what is told with a text is kept
# when it streams, too; blocks that no one can use are left out.
BETTER = {
    *(f'responses/s_{name}' for name in ('code', 'code_empty', 'code_logs', 'code_images', 'mcp', 'mcp_failed')),
    *(f'responses/s_{name}' for name in ('reasoning_both', 'cited_plain', 'cited_raw', 'body_no_time')),
    *(f'responses/s_flow_{name}' for name in ('summaries', 'raw', 'phase')),
    *(f'responses/{way}_body_no_details' for way in 'rs'),
    'anthropic/r_uploaded',
    'anthropic/s_mcp',
    'anthropic/s_mcp_empty',
}
cases.drop(BETTER)

client_of, run = Clients, cases.run
