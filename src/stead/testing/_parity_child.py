"""What one library does with an agent: run as a script, in the process of that library, which alone it imports.

It reads the cases as JSON, runs the agent with a model that answers from them, and prints what each request had and what the run
returned.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Sequence
from typing import Any, cast

_OF_THE_MOMENT = {
    *('timestamp', 'run_id', 'conversation_id', 'usage', 'state'),
    *('model_name', 'model_id', 'provider_name', 'provider_url', 'provider_details', 'provider_response_id'),
}
"""Parts of messages that are different each time, or that say where a response came from."""


def found(place: str) -> Any:
    """Return what `module:name` names."""
    module, _, name = place.partition(':')
    return getattr(importlib.import_module(module), name)


def plain(value: Any, ids: dict[str, str]) -> Any:
    """Return JSON data without what is different each time, and with ids of calls numbered; what is empty is left out."""
    if isinstance(value, list):
        return [plain(item, ids) for item in cast('list[Any]', value)]
    if not isinstance(value, dict):
        return value
    kept: dict[str, Any] = {
        name: plain(item, ids) for name, item in cast('dict[str, Any]', value).items() if name not in _OF_THE_MOMENT
    }
    if isinstance(call_id := kept.get('tool_call_id'), str):
        kept['tool_call_id'] = ids.setdefault(call_id, f'call {len(ids) + 1}')
    return {name: item for name, item in kept.items() if item not in (None, [], {})}


def tools_of(definitions: Sequence[Any]) -> dict[str, Any]:
    """Return what a model sees of tools, by name."""
    return {one.name: {'description': one.description, 'parameters': one.parameters_json_schema} for one in definitions}


def watched(responses: list[Any] | None, requests: list[Any]) -> Any:
    """Return a model that notes its requests, and answers with these responses; without them as a `TestModel`."""
    wrapper: Any = importlib.import_module('pydantic_ai.models.wrapper').WrapperModel
    test: Any = importlib.import_module('pydantic_ai.models.test').TestModel
    adapter: Any = importlib.import_module('pydantic_ai.messages').ModelMessagesTypeAdapter
    ids: dict[str, str] = {}
    answers = None if responses is None else iter(adapter.validate_python(responses))

    class Watched(wrapper):
        async def request(self, messages: Any, model_settings: Any, model_request_parameters: Any) -> Any:
            settings, sent = self.wrapped.prepare_request(model_settings, model_request_parameters)
            output = {'tools': tools_of(sent.output_tools), 'mode': sent.output_mode, 'text': sent.allow_text_output}
            requests.append(
                {
                    'messages': plain(adapter.dump_python(messages, mode='json'), ids),
                    'settings': plain(json.loads(json.dumps(dict(settings or {}), default=repr)), ids),
                    'tools': tools_of(sent.function_tools),
                    'output': output,
                }
            )
            if answers is None:
                return await self.wrapped.request(messages, model_settings, model_request_parameters)
            try:
                return next(answers)
            except StopIteration:
                raise LookupError('the recording has no more responses') from None

    return Watched(test())


def played(agent: Any, deps: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Run a case, and return its requests and how it ended."""
    json_of: Any = importlib.import_module('pydantic_core').to_jsonable_python
    requests: list[Any] = []
    options: dict[str, Any] = {} if deps is None else {'deps': deps()}
    try:
        result = agent.run_sync(case['prompt'], model=watched(case['responses'], requests), **options)
        end = {'output': json_of(result.output, fallback=repr)}
    except Exception as error:  # what both raise is the same, too
        end = {'error': type(error).__name__}
    return {'requests': requests, **end}


def main() -> None:
    """Read the cases, and print what happened."""
    sys.path[0] = ''  # where the command runs, and not where this file is
    asked = json.load(sys.stdin)
    agent, deps = found(asked['agent']), found(asked['deps']) if asked['deps'] else None
    sys.stdout.write('\n' + json.dumps([played(agent, deps, case) for case in asked['cases']]))


if __name__ == '__main__':
    main()
