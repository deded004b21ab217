"""What a run, its result and its readers say of the run, written once: `RunFacts` its facts, `ResultView` its messages too."""

from __future__ import annotations

import dataclasses
from datetime import datetime
from typing import Any

from .. import workspaces
from .._contracts.run_state import RunState
from .._kit.deprecated import callable_datetime
from ..messages import ModelMessage, ModelMessagesTypeAdapter, ModelRequest, ModelResponse, ToolReturnPart
from ..usage import RunUsage


class RunFacts:
    """Whatever says who a run is and what it has used."""

    @property
    def _facts(self) -> RunState | RunFacts:
        """What knows the facts: the state of the run, or another view of it."""
        raise NotImplementedError

    @property
    def usage(self) -> RunUsage:
        """Usage of the run so far."""
        return self._facts.usage

    @property
    def metadata(self) -> dict[str, Any] | None:
        """Metadata of the run."""
        return self._facts.metadata

    @property
    def run_id(self) -> str:
        """Unique id of the run."""
        return self._facts.run_id

    @property
    def conversation_id(self) -> str:
        """Unique id of the conversation."""
        return self._facts.conversation_id

    @property
    def workspace(self) -> workspaces.Workspace:
        """The workspace of the run; one that raises `WorkspaceUnavailableError` if it had none."""
        from ..workspaces.choice import no_workspace

        facts = self._facts
        known: workspaces.Workspace | None = getattr(facts, 'workspace', None)
        return known or no_workspace()


class ResultView(RunFacts):
    """The result of a run, complete or not."""

    @property
    def _history(self) -> tuple[list[ModelMessage], int, str | None]:
        """All messages, which are shared with the run; the index of the first one of the run itself; its output tool, if any."""
        raise NotImplementedError

    def all_messages(self, *, output_tool_return_content: str | None = None) -> list[ModelMessage]:
        """Return all messages: the history that was passed to the run, and its own.

        Args:
            output_tool_return_content: Text to put in place of the return of the output tool. A conversation that is continued
                can then say what happened with the output.

        Raises:
            ValueError: Content was passed, and the output did not come through a tool.
            LookupError: Content was passed, and the last message holds no return of the output tool.
        """
        messages, _, tool_name = self._history
        if output_tool_return_content is None:
            return messages
        if tool_name is None:
            raise ValueError(
                'Cannot set the return content of the output tool: the output came as text, not through a tool.'
            )
        last = messages[-1] if messages else None
        if isinstance(last, ModelRequest):
            for index, part in enumerate(last.parts):
                if isinstance(part, ToolReturnPart) and part.tool_name == tool_name:
                    parts = [*last.parts]
                    parts[index] = dataclasses.replace(part, content=output_tool_return_content)
                    return [*messages[:-1], dataclasses.replace(last, parts=parts)]
        raise LookupError(f'No return of the output tool {tool_name!r} in the last message.')

    def all_messages_json(self, *, output_tool_return_content: str | None = None) -> bytes:
        """Return all messages as JSON; arguments and errors as `all_messages`."""
        return ModelMessagesTypeAdapter.dump_json(
            self.all_messages(output_tool_return_content=output_tool_return_content)
        )

    def new_messages(self, *, output_tool_return_content: str | None = None) -> list[ModelMessage]:
        """Return the messages of this run without the history passed to it; arguments and errors as `all_messages`."""
        messages = self.all_messages(output_tool_return_content=output_tool_return_content)
        return messages[self._history[1] :]

    def new_messages_json(self, *, output_tool_return_content: str | None = None) -> bytes:
        """Return the messages of this run as JSON; arguments and errors as `all_messages`."""
        return ModelMessagesTypeAdapter.dump_json(
            self.new_messages(output_tool_return_content=output_tool_return_content)
        )

    @property
    def response(self) -> ModelResponse:
        """The last response of the model, as far as it has come in.

        Raises:
            ValueError: The run has no response.
        """
        raise NotImplementedError

    @property
    def timestamp(self) -> datetime:
        """When the last response began."""
        return callable_datetime(self.response.timestamp, f'{type(self).__name__}.timestamp')
