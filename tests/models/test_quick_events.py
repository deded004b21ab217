"""Events that are made without their constructors are what the constructors make."""

from __future__ import annotations

from stead.messages import PartDeltaEvent, TextPartDelta, ToolCallPartDelta
from stead.models import ModelRequestParameters, ModelResponsePartsManager


def test_an_event_with_more_text() -> None:
    manager = ModelResponsePartsManager(ModelRequestParameters())
    list(manager.handle_text_delta(vendor_part_id='t', content='one'))
    (event,) = manager.handle_text_delta(vendor_part_id='t', content=' two', provider_name='p')
    constructed = PartDeltaEvent(index=0, delta=TextPartDelta(' two', provider_name='p'))
    assert event == constructed and repr(event) == repr(constructed)
    assert isinstance(event, PartDeltaEvent)
    assert (vars(event), vars(event.delta)) == (vars(constructed), vars(constructed.delta))


def test_an_event_with_more_arguments() -> None:
    manager = ModelResponsePartsManager(ModelRequestParameters())
    manager.handle_tool_call_delta(vendor_part_id=0, tool_name='look', args='{"a', tool_call_id='c1')
    event = manager.handle_tool_call_delta(vendor_part_id=0, args='": 1}', provider_name='p')
    constructed = PartDeltaEvent(
        index=0, delta=ToolCallPartDelta(args_delta='": 1}', tool_call_id='c1', provider_name='p')
    )
    assert event == constructed and repr(event) == repr(constructed)
    assert isinstance(event, PartDeltaEvent)
    assert (vars(event), vars(event.delta)) == (vars(constructed), vars(constructed.delta))
    (part,) = manager.get_parts()
    assert part.args == '{"a": 1}'  # type: ignore[union-attr]
