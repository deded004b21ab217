"""Conversations over the protocol of the Vercel AI SDK: calls that wait."""

from _ui_scripts_waiting import BOTH
from _ui_talk import play
from _ui_talk_vercel import VercelClient6

play(BOTH, VercelClient6)
