"""Constructors of the records in `stead.graph`, compiled ahead; `_kit/constructors.py` says how. Written by `make stubs`."""

# pyright: basic

from __future__ import annotations


def basenode_Edge(put):
    def __init__(self, label):
        put(self, 'label', label)

    return __init__


def basenode_End():
    def __init__(self, data):
        self.data = data

    return __init__


def basenode_GraphRunContext():
    def __init__(self, *, state, deps):
        self.state = state
        self.deps = deps

    return __init__


def basenode_NodeDef():
    def __init__(self, *, node, node_id, note, next_node_edges, end_edge, returns_base_node):
        self.node = node
        self.node_id = node_id
        self.note = note
        self.next_node_edges = next_node_edges
        self.end_edge = end_edge
        self.returns_base_node = returns_base_node

    return __init__


def persistence_EndSnapshot(unset, new_ts):
    def __init__(self, *, state, result, ts=unset, kind=..., id=...):
        self.state = state
        self.result = result
        self.ts = new_ts() if ts is unset else ts
        self.kind = kind
        self.id = id
        self.__post_init__()

    return __init__


def persistence_NodeSnapshot():
    def __init__(self, *, state, node, start_ts=..., duration=..., status=..., kind=..., id=...):
        self.state = state
        self.node = node
        self.start_ts = start_ts
        self.duration = duration
        self.status = status
        self.kind = kind
        self.id = id
        self.__post_init__()

    return __init__


def persistence_in_mem_FullStatePersistence(unset, new_history):
    def __init__(self, deep_copy=..., history=unset):
        self.deep_copy = deep_copy
        self.history = new_history() if history is unset else history

    return __init__


def persistence_in_mem_SimpleStatePersistence():
    def __init__(self, last_snapshot=...):
        self.last_snapshot = last_snapshot

    return __init__
