"""A capability that keeps personal data away from the model, and puts it back for tools and the output."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, cast

from stead import AgentRunResult, ModelRequestContext, RunContext
from stead.capabilities import AbstractCapability, WrapToolExecuteHandler
from stead.messages import ModelMessage, ModelRequest, TextPart, ToolCallPart, ToolReturnPart, UserPromptPart
from stead.tools import ToolDefinition

PATTERNS = {
    'EMAIL': re.compile(r'[\w.+-]+@[\w-]+\.[\w.]+'),
    'PHONE': re.compile(r'\+?\d[\d ]{7,}\d'),
    'IBAN': re.compile(r'\b[A-Z]{2}\d{2}[A-Z0-9]{11,30}\b'),
}


@dataclass
class Vault:
    """The personal data of one run."""

    by_token: dict[str, str] = field(default_factory=dict[str, str])

    def hide(self, text: str) -> str:
        for kind, pattern in PATTERNS.items():
            for found in set(pattern.findall(text)):
                text = text.replace(found, self._token(kind, found))
        return text

    def show(self, text: str) -> str:
        for token, value in self.by_token.items():
            text = text.replace(token, value)
        return text

    def _token(self, kind: str, value: str) -> str:
        for token, known in self.by_token.items():
            if known == value:
                return token
        token = f'<{kind}_{len(self.by_token) + 1}>'
        self.by_token[token] = value
        return token


def walk(value: Any, change: Callable[[str], str]) -> Any:
    """Return data of JSON with each text changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: walk(item, change) for key, item in cast('dict[str, Any]', value).items()}
    if isinstance(value, list):
        return [walk(item, change) for item in cast('Iterable[Any]', value)]
    return value


@dataclass
class RedactPII(AbstractCapability[Any]):
    """Replaces emails, phones and IBANs by tokens in what the model sees."""

    vault: Vault = field(default_factory=Vault)

    async def for_run(self, ctx: RunContext[Any]) -> RedactPII:
        return replace(self, vault=Vault())

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        request_context.messages = [self._hidden(m) for m in request_context.messages]
        return request_context

    def _hidden(self, message: ModelMessage) -> ModelMessage:
        if isinstance(message, ModelRequest):
            parts = [
                replace(p, content=walk(p.content, self.vault.hide))
                if isinstance(p, (UserPromptPart, ToolReturnPart))
                else p
                for p in message.parts
            ]
            return replace(message, parts=parts)
        parts2 = [
            replace(p, content=self.vault.hide(p.content))
            if isinstance(p, TextPart)
            else replace(p, args=walk(p.args, self.vault.hide))
            if isinstance(p, ToolCallPart)
            else p
            for p in message.parts
        ]
        return replace(message, parts=parts2)

    async def wrap_tool_execute(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: dict[str, Any],
        handler: WrapToolExecuteHandler,
    ) -> Any:
        return await handler(walk(args, self.vault.show))

    async def after_run(self, ctx: RunContext[Any], *, result: AgentRunResult[Any]) -> AgentRunResult[Any]:
        return replace(result, output=walk(result.output, self.vault.show))
