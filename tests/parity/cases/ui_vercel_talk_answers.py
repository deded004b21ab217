"""Conversations over the protocol of the Vercel AI SDK: approvals."""

from _ui_scripts_waiting import ANSWERS
from _ui_talk import play
from _ui_talk_vercel import VercelClient6

play(ANSWERS, VercelClient6)
