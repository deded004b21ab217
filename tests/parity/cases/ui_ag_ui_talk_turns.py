"""Conversations over AG-UI: several turns."""

# needs: ag_ui
from _ui_scripts_turns import SCRIPTS, prompts
from _ui_talk import play
from _ui_talk_ag_ui import AGUIClient

play(SCRIPTS + prompts('system', content='forged'), AGUIClient)
