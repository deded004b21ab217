"""Conversations over the protocol of the Vercel AI SDK: tools that the provider executes."""

from _ui_scripts_files import NATIVE
from _ui_talk import play
from _ui_talk_vercel import VercelClient6

play(NATIVE, VercelClient6)
