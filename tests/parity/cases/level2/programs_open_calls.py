"""What a model reads of calls without a result: that they were interrupted, with an outcome of its own."""

from _programs import call, in_short, out, script
from pydantic_ai import Agent, ModelRequest, ModelResponse, ToolReturnPart, UserPromptPart
from pydantic_ai.capabilities import ProcessHistory


def without_results(messages):
    kept = [message for message in messages if isinstance(message, ModelResponse)]
    return [*kept, ModelRequest(parts=[UserPromptPart('sum up')])] if kept else messages


seen = []
agent = Agent(script([call('t')], 'done', seen=seen), capabilities=[ProcessHistory(without_results)])


@agent.tool_plain
def t() -> str:
    return 'r'


result = agent.run_sync('x')
for messages, _ in seen:
    out('sent', in_short(messages))
out('kept', in_short(result.all_messages()))
for outcome in ('success', 'failed', 'denied', 'interrupted', 'retried'):
    part = ToolReturnPart('t', 'text', 'c', outcome=outcome)
    out(outcome, part.model_response_str(), part.model_response_object(), part.model_response_str(wrap_if_error=False))
