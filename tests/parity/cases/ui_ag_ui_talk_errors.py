"""Conversations over AG-UI: errors, limits, and clients that leave."""

# needs: ag_ui
from _ui_scripts_errors import LEFT, SCRIPTS
from _ui_talk import play
from _ui_talk_ag_ui import AGUIClient

play(SCRIPTS + LEFT, AGUIClient)
