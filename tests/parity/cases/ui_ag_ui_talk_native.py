"""Conversations over AG-UI: tools that the provider executes."""

# needs: ag_ui
from _ui_scripts_files import NATIVE
from _ui_talk import play
from _ui_talk_ag_ui import AGUIClient

play(NATIVE, AGUIClient)
