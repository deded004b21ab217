"""Conversations over AG-UI: tools of the agent."""

# needs: ag_ui
from _ui_scripts_tools import SCRIPTS
from _ui_talk import play
from _ui_talk_ag_ui import AGUIClient

play(SCRIPTS, AGUIClient)
