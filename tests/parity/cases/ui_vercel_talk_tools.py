"""Conversations over the protocol of the Vercel AI SDK: tools of the agent."""

from _ui_scripts_tools import SCRIPTS
from _ui_talk import play
from _ui_talk_vercel import VercelClient6

play(SCRIPTS, VercelClient6)
