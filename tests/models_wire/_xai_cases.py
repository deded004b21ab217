"""Requests to xAI and its answers, as scripts against either implementation; see `record.py`."""

from __future__ import annotations

import _xai_answers_cases as answers
import _xai_history_cases as history
import _xai_requests_cases as requests
import xai_sdk
from _facts import facts
from _grpc_wire import GrpcWire
from _vocabulary import Cases

from stead.models.xai import XaiModel
from stead.providers.xai import XaiProvider

cases = Cases()
cases.join(history.cases, requests.cases, answers.cases)

wire_class = GrpcWire


def client_of(wire):
    return xai_sdk.AsyncClient(
        api_key='k', api_host=wire.host, use_insecure_channel=True, channel_options=[('grpc.enable_retries', 0)]
    )


async def run(name, wire, client):
    messages, params, settings, model, reply, profile, _ = cases[name]
    wire.expect(reply)
    asking = XaiModel(model, provider=XaiProvider(xai_client=client), profile=profile)
    return await facts(asking, wire, messages, params, settings, stream=reply.stream)
