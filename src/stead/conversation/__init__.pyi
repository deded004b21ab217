"""The public names of `stead.conversation`, for type checkers. Written by `make stubs`."""

from ._conversation import Conversation as Conversation, ConversationTypeAdapter as ConversationTypeAdapter
