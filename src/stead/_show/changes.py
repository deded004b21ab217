"""What hooks change, as JSON data: what can be looked at of a value, and what is different in it afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from operator import is_
from typing import Any, Protocol, cast

from pydantic_core import from_json
from typing_extensions import TypeAlias

from .._contracts.facts import HookActed, HookChange, RequestSent
from .._contracts.model import ModelRequestContext, ModelRequestParameters
from .._contracts.tool_definition import ToolDefinition
from .._kit.json_types import JsonObject
from .._kit.short import short_repr
from .._kit.shown_json import shown_json
from ..messages import DeferredToolResults, ModelMessage, ModelResponse
from ..settings import NOT_KEPT
from .timelines import bounded

Seen = Mapping[str, bytes]
"""What was there of a value: the JSON of each thing in it, by its name."""

LONGEST = 8_000
"""How many characters of one text are kept."""
MOST = 20
"""How many items of a list, and keys of a mapping, are kept."""
_DEEPEST = 12
_END = -1
_AROUND_RUN = frozenset({'wrap_run', 'after_run', 'on_run_error'})
_ELSEWHERE = frozenset({'run_id', 'conversation_id', 'timestamp'})
"""Fields that say when and where something came about, and that no hook is looked at for."""


def seen_in(view: Mapping[str, object]) -> Seen:
    """Return what is there of a value, which may be changed in place afterwards."""
    return {name: shown_json(value) for name, value in view.items()}


def view_request(request: object) -> dict[str, object]:
    """Return what hooks can change of a request to a model."""
    if not isinstance(request, ModelRequestContext):
        return {'request': request}
    parameters = request.model_request_parameters
    return {
        'model': model_label(request.model),
        'messages': list(map(_without_places, request.messages)),
        'settings': view_settings(cast('Mapping[str, object] | None', request.model_settings)),
        'tools': view_tools([*parameters.function_tools, *parameters.output_tools]),
        **view_parameters(parameters),
    }


def view_settings(settings: Mapping[str, object] | None) -> dict[str, object]:
    """Return settings without those that often hold secrets."""
    return {name: value for name, value in (settings or {}).items() if name not in NOT_KEPT}


def view_parameters(parameters: ModelRequestParameters) -> dict[str, object]:
    """Return what a request says in addition to messages, settings and tools."""
    instructions = [part.content for part in parameters.instruction_parts or ()]
    return {
        'native tools': [{'kind': tool.kind, **vars(tool)} for tool in parameters.native_tools],
        'instructions': instructions,
        'output': {
            'mode': parameters.output_mode,
            'allow_text': parameters.allow_text_output,
            **({'name': parameters.output_object.name} if parameters.output_object is not None else {}),
        },
    }


def view_tools(tools: object) -> dict[str, object]:
    """Return definitions of tools by name; what is as by default is left out."""
    listed = cast('Sequence[object]', tools) if isinstance(tools, (list, tuple)) else ()
    return {tool.name: view_tool(tool) for tool in listed if isinstance(tool, ToolDefinition)}


def view_tool(tool: ToolDefinition) -> JsonObject:
    """Return the definition of a tool without its name, and without what is as by default."""
    usual = ToolDefinition(name='')
    names = [field.name for field in fields(ToolDefinition) if field.name != 'name']
    return {
        name: getattr(tool, name)
        for name in names
        if name in ('description', 'parameters_json_schema') or getattr(tool, name) != getattr(usual, name)
    }


def view_response(response: object) -> dict[str, object]:
    """Return what hooks can change of a response."""
    return {'response': _without_places(response) if isinstance(response, ModelResponse) else response}


def view_node(node: object) -> dict[str, object]:
    """Return what can be seen of a node of a run, or of its end."""
    seen: JsonObject = {'kind': type(node).__name__}
    for name, label in (('user_prompt', 'prompt'), ('request', 'request'), ('model_response', 'response')):
        if (value := getattr(node, name, None)) is not None:
            seen[label] = _without_places(value)
    if (data := getattr(node, 'data', None)) is not None:
        seen['output'] = getattr(data, 'output', data)
    return {'node': seen}


def view_output(result: object) -> dict[str, object]:
    """Return the output of a result of a run."""
    return {'output': getattr(result, 'output', result)}


def view_decisions(results: object) -> dict[str, object]:
    """Return decisions about calls, by call id."""
    if not isinstance(results, DeferredToolResults):
        return {}
    return {'decisions': {**results.calls, **results.approvals}}


def model_label(model: object) -> str:
    """Return a model with its provider, as `openai:gpt-5`."""
    try:
        return f'{getattr(model, "system", "")}:{getattr(model, "model_name", "")}'
    except Exception:  # a property of a user's class
        return short_repr(model)


def _without_places(message: object) -> object:
    values: JsonObject = getattr(message, '__dict__', {})
    if not values:
        return message
    shown = {name: value for name, value in values.items() if name not in _ELSEWHERE and value is not None}
    if isinstance(parts := shown.get('parts'), (list, tuple)):
        shown['parts'] = [
            _without_places(part) if hasattr(part, '__dict__') else part for part in cast('Sequence[object]', parts)
        ]
    for name in ('kind', 'part_kind'):
        if name not in shown and (kind := getattr(message, name, None)) is not None:
            shown[name] = kind
    return shown


class _Sources(Protocol):
    settings: dict[str, str]
    instructions: list[tuple[str, str]]


def sent_request(
    request: ModelRequestContext, history: Sequence[ModelMessage], step: int, sources: _Sources | None
) -> RequestSent:
    """Return a request as it is handed to the model, and how it differs from the history.

    Args:
        request: The request, after all hooks.
        history: The history of the run.
        step: The number of the step.
        sources: The parts of the agent that it comes from.
    """
    fitted: list[HookChange] = []
    if len(history) != len(request.messages) or not all(map(is_, history, request.messages)):
        before, after = (seen_in({'messages': list(map(_without_places, one))}) for one in (history, request.messages))
        fitted = changes_between(before, after)
    named = sources.instructions if sources is not None else []
    settings = sources.settings if sources is not None else {}
    return RequestSent(step, view_sent(request), fitted, dict(settings), list(named))


def view_sent(request: ModelRequestContext) -> JsonObject:
    """Return everything of a request but its messages, as JSON data."""
    parameters = request.model_request_parameters
    data: JsonObject = {
        'model': model_label(request.model),
        'settings': view_settings(cast('Mapping[str, object] | None', request.model_settings)),
        'tools': view_tools([*parameters.function_tools, *parameters.output_tools]),
        **view_parameters(parameters),
    }
    return {name: from_json(shown_json(value)) for name, value in data.items()}


def changes_between(before: Seen, after: Seen) -> list[HookChange]:
    """Return what is different after a hook."""
    return list(_changes(before, after))


def _changes(before: Seen, after: Seen) -> Iterator[HookChange]:
    for name in {**before, **after}:
        if before.get(name) == after.get(name):
            continue
        values: list[object] = [from_json(seen[name]) if name in seen else None for seen in (before, after)]
        old, new = values
        if isinstance(old, dict) and isinstance(new, dict):
            if (change := _change_of_keys(name, cast(JsonObject, old), cast(JsonObject, new))) is not None:
                yield change
        elif isinstance(old, list) and isinstance(new, list):
            yield _change_of_items(name, cast('list[Any]', old), cast('list[Any]', new))
        else:
            yield HookChange(name, cut_down(cast(object, old)), cut_down(cast(object, new)))


def _change_of_keys(name: str, old: JsonObject, new: JsonObject) -> HookChange | None:
    differing = [key for key in {**old, **new} if key not in old or key not in new or old[key] != new[key]]
    if not differing:  # another order, which is something only of tools
        return HookChange(name, [*old], [*new]) if name == 'tools' and [*old] != [*new] else None
    kept = differing[:MOST]
    gone, come = ({key: cut_down(one[key]) for key in kept if key in one} for one in (old, new))
    more = differing[MOST:]
    return HookChange(name, gone, come, left_out=(sum(key in old for key in more), sum(key in new for key in more)))


def _change_of_items(name: str, old: list[Any], new: list[Any]) -> HookChange:
    """Return the stretch of a list that is different."""
    start, most = 0, min(len(old), len(new))
    while start < most and old[start] == new[start]:
        start += 1
    end = 0
    while end < most - start and old[-1 - end] == new[-1 - end]:
        end += 1
    gone, come = old[start : len(old) - end], new[start : len(new) - end]
    left_out = (max(len(gone) - MOST, 0), max(len(come) - MOST, 0))
    return HookChange(name, cut_down(gone[:MOST]), cut_down(come[:MOST]), start, left_out)


def acted_data(fact: HookActed) -> JsonObject:
    """Return what a hook did, as JSON data for records and pages."""
    data: JsonObject = {'step': fact.step, 'by': fact.capability, 'hook': fact.hook, 'did': fact.did}
    if fact.changes:
        data['changes'] = [_change_data(change) for change in fact.changes]
    if fact.call is not None:
        data['call'] = {'id': fact.call.tool_call_id, 'tool': fact.call.tool_name}
    if fact.error:
        data['error'] = fact.error
    return data


def sent_data(fact: RequestSent) -> JsonObject:
    """Return what was sent, as JSON data for records and pages."""
    data: JsonObject = {
        **fact.request,
        'fitted': [_change_data(change) for change in fact.fitted],
        'settings_from': dict(fact.settings_from),
        'instructions_from': [{'by': source, 'text': text} for source, text in fact.instructions_from],
    }
    return {'step': fact.step, **{name.replace(' ', '_'): cut_down(value) for name, value in data.items()}}


_Shape: TypeAlias = 'type | tuple[type, ...] | list[dict[str, type]]'
_DID = frozenset({'changed', 'answered', 'decided', 'recovered', 'raised'})
_CHANGES: _Shape = [{'what': str, 'at': int, 'left_out': list}]
_ACT: dict[str, _Shape] = {'step': int, 'by': str, 'hook': str, 'changes': _CHANGES, 'call': dict, 'error': str}
_SENT: dict[str, _Shape] = {
    'step': int,
    'model': str,
    'settings': dict,
    'tools': dict,
    'native_tools': list,
    'output': dict,
    'fitted': _CHANGES,
    'settings_from': dict,
    'instructions_from': [{'by': str, 'text': str}],
}


def _check(data: object, shape: Mapping[str, _Shape]) -> None:
    """Raise `ValueError` if data of a record, which anything may have written, would break what shows them."""
    if not isinstance(data, dict):
        raise ValueError('not an object')
    values = cast('dict[str, object]', data)
    for name, kind in shape.items():
        value = values.get(name)
        if value is None and name not in ('step', 'by', 'hook'):
            continue
        if isinstance(kind, list):
            if not isinstance(value, list):
                raise ValueError(f'{name} is not a list')
            for item in cast('list[object]', value):
                _check(item, cast('dict[str, _Shape]', kind[0]))
        elif not isinstance(value, kind):
            raise ValueError(f'{name} is of another kind')


class Acts:
    """What hooks did in the steps of a run, and what was sent, in tables: most steps have the same as the one before."""

    def __init__(self) -> None:
        self.is_empty: bool = True
        """Whether nothing was added."""
        self._acts: list[JsonObject] = []
        self._sent: list[JsonObject] = []
        self._last: dict[tuple[str, str], int] = {}
        self._of_step: dict[int, list[int]] = {}
        self._sent_in: dict[int, int] = {}

    def add(self, data: Mapping[str, Any]) -> None:
        """Add what a hook did, as `acted_data` returns it; with `same`, it is what that hook did last.

        Raises:
            ValueError: The data are not like that.
        """
        _check(data, _ACT)
        if not data.get('same') and data.get('did') not in _DID:
            raise ValueError('nothing is done so')
        place = str(data['by']), str(data['hook'])
        if not data.get('same'):
            act = {name: bounded(value) for name, value in data.items() if name != 'step'}
            if (last := self._last.get(place)) is None or self._acts[last] != act:
                self._last[place] = len(self._acts)
                self._acts.append(act)
        # The context of hooks around the run is that of its beginning.
        step = _END if data['hook'] in _AROUND_RUN else int(data['step'])
        if (number := self._last.get(place)) is not None:
            self.is_empty = False
            self._of_step.setdefault(step, []).append(number)

    def add_sent(self, data: Mapping[str, Any]) -> None:
        """Add what was sent in a step, as `sent_data` returns it; what is missing is as it was in the step before.

        Raises:
            ValueError: The data are not like that.
        """
        _check(data, _SENT)
        self.is_empty = False
        new = {name: bounded(value) for name, value in data.items() if name != 'step'}
        last = self._sent[-1] if self._sent else {}
        # Tools in another order are another list.
        if not self._sent or any(last.get(name) != value for name, value in new.items()) or _is_reordered(last, new):
            self._sent.append({**last, **new})
        self._sent_in[int(data['step'])] = len(self._sent) - 1

    def drop(self, step: int) -> None:
        """Forget a step, which begins again."""
        self._of_step.pop(step, None)
        self._sent_in.pop(step, None)

    def sizes(self) -> tuple[int, int]:
        """Return how many entries the two tables have."""
        return len(self._acts), len(self._sent)

    def give_to(self, trace: JsonObject) -> None:
        """Add the tables to a trace, and to each step the numbers of its entries."""
        if self.is_empty:
            return
        trace['acts'], trace['sent'] = [*self._acts], [*self._sent]
        for place, step in enumerate(trace['steps']):
            number = step['step']
            early = self._of_step.get(0, []) if place == 0 else []
            late = self._of_step.get(_END, []) if place == len(trace['steps']) - 1 else []
            step['acts'] = [*early, *self._of_step.get(number, []), *late]
            step['sent'] = self._sent_in.get(number)


def _is_reordered(last: JsonObject, new: JsonObject) -> bool:
    return 'tools' in new and [*(last.get('tools') or ())] != [*(new['tools'] or ())]


def acts_of(facts: Iterable[object]) -> Acts:
    """Return the tables of what was announced in a run."""
    acts = Acts()
    for fact in facts:
        if isinstance(fact, HookActed):
            acts.add(acted_data(fact))
        elif isinstance(fact, RequestSent):
            acts.add_sent(sent_data(fact))
    return acts


def _change_data(change: HookChange) -> JsonObject:
    data: JsonObject = {'what': change.what, 'before': change.before, 'after': change.after}
    if change.at is not None:
        data['at'] = change.at
    if any(change.left_out):
        data['left_out'] = [*change.left_out]
    return data


def cut_down(value: object, levels: int = _DEEPEST) -> object:
    """Return JSON data with long texts and lists cut, so that what is kept of a change has a bound."""
    if isinstance(value, str):
        return value if len(value) <= LONGEST else f'{value[:LONGEST]} ... and {len(value) - LONGEST:,} more characters'
    if isinstance(value, dict):
        if not levels:
            return '...'
        items = list(cast('dict[str, object]', value).items())
        shown = {key[:200]: cut_down(item, levels - 1) for key, item in items[: 5 * MOST]}
        return {**shown, '...': f'{len(items) - 5 * MOST} more'} if len(items) > 5 * MOST else shown
    if isinstance(value, list):
        if not levels:
            return '...'
        items = cast('list[object]', value)
        shown = [cut_down(item, levels - 1) for item in items[: 5 * MOST]]
        return [*shown, f'... and {len(items) - 5 * MOST} more'] if len(items) > 5 * MOST else shown
    return value
