"""Conversations over the protocol of the Vercel AI SDK: errors, limits, and clients that leave."""

from _ui_scripts_errors import LEFT, SCRIPTS
from _ui_talk import play
from _ui_talk_vercel import VercelClient6

play(SCRIPTS + LEFT, VercelClient6)
