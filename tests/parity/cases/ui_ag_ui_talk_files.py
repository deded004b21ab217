"""Conversations over AG-UI: files."""

# needs: ag_ui
from _ui_scripts_files import FILES, SENT_AG_UI
from _ui_talk import play
from _ui_talk_ag_ui import AGUIClient

play(FILES + SENT_AG_UI, AGUIClient)
