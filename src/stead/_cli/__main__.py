"""`python -m stead._cli`: the command where it is not installed on the path."""

import sys

from . import main

sys.exit(main())
