"""Conversations over the protocol of the Vercel AI SDK: files."""

from _ui_scripts_files import FILES, SENT_VERCEL
from _ui_talk import play
from _ui_talk_vercel import VercelClient6

play(FILES + SENT_VERCEL, VercelClient6)
