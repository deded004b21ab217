"""What profiles and agents say of themselves: whether a cache is warm, values that do not fit, the validation context."""

from datetime import datetime, timedelta, timezone

from _common import fact
from pydantic_ai import AdvisorTool, Agent, RequestUsage
from pydantic_ai.agent import WrapperAgent
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart
from pydantic_ai.models import ModelContextDepsT
from pydantic_ai.profiles import DEFAULT_PROMPTED_OUTPUT_TEMPLATE, DEFAULT_THINKING_TAGS, prompt_cache_outlook
from pydantic_ai.profiles.openai import validate_openai_profile

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
PROFILE = {'supports_cache': True, 'default_cache_retention': timedelta(minutes=5)}


def answered(*seconds_ago, **usage):
    responses = [
        ModelResponse(parts=[TextPart('a')], timestamp=NOW - timedelta(seconds=age), usage=RequestUsage(**usage))
        for age in seconds_ago
    ]
    return [message for response in responses for message in (ModelRequest.user_text_prompt('q'), response)]


for age in (-60, 0, 300, 301, 4000):
    messages = answered(age, cache_read_tokens=5)
    asked = [{}, {'profile': PROFILE}, {'retention': timedelta(hours=1)}]
    asked.append({'profile': PROFILE, 'retention': timedelta(hours=1)})
    fact(age, [prompt_cache_outlook(messages, now=NOW, **options) for options in asked])
fact('two responses', prompt_cache_outlook(answered(4000, 10), profile=PROFILE, now=NOW))
fact('no response', prompt_cache_outlook([ModelRequest.user_text_prompt('q')], profile=PROFILE))
fact('nothing', prompt_cache_outlook([], profile=PROFILE))
fact('an empty profile', prompt_cache_outlook(answered(1), profile={}, now=NOW))
fact('defaults', [DEFAULT_PROMPTED_OUTPUT_TEMPLATE, DEFAULT_THINKING_TAGS])

for profile in (
    {},
    {'openai_chat_send_back_thinking_parts': 'tags'},
    {'openai_chat_send_back_thinking_parts': 'field'},
    {'openai_chat_send_back_thinking_parts': 'field', 'openai_chat_thinking_field': 'reasoning'},
):
    try:
        fact('fits', validate_openai_profile(profile))
    except UserError:
        fact('does not fit', profile)

for agent in (Agent('test'), Agent('test', validation_context={'a': 1})):
    fact('validation context', [agent.validation_context, WrapperAgent(agent).validation_context])
fact('a function', callable(Agent('test', validation_context=lambda ctx: 1).validation_context))
fact('exports', [AdvisorTool.kind, ModelContextDepsT.__class__.__name__])
