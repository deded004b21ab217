"""Conversations over the protocol of the Vercel AI SDK in version 5, which has no approvals and no invalid arguments."""

from _ui_scripts_errors import SCRIPTS as ERRORS
from _ui_scripts_tools import SCRIPTS as TOOLS
from _ui_scripts_waiting import BOTH
from _ui_talk import play
from _ui_talk_vercel import VercelClient

play(TOOLS[:16] + BOTH + ERRORS[10:20], VercelClient)
