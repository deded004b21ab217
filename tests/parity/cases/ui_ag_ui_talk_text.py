"""Conversations over AG-UI: text and thinking."""

# needs: ag_ui
from _ui_scripts_text import SCRIPTS
from _ui_talk import play
from _ui_talk_ag_ui import AGUIClient

play(SCRIPTS, AGUIClient)
