"""Conversations over the protocol of the Vercel AI SDK: text and thinking."""

from _ui_scripts_text import SCRIPTS
from _ui_talk import play
from _ui_talk_vercel import VercelClient6

play(SCRIPTS, VercelClient6)
