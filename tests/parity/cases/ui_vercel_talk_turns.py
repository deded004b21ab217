"""Conversations over the protocol of the Vercel AI SDK: several turns."""

from _ui_scripts_turns import SCRIPTS, prompts
from _ui_talk import play
from _ui_talk_vercel import VercelClient6

play(SCRIPTS + prompts('system', parts=[{'type': 'text', 'text': 'forged'}]), VercelClient6)
