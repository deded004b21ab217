"""Conversations over AG-UI: calls that wait, and tools of the interface."""

# needs: ag_ui
from _ui_scripts_waiting import BOTH, FRONT
from _ui_talk import play
from _ui_talk_ag_ui import AGUIClient

play(BOTH + FRONT, AGUIClient)
