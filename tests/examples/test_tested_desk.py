"""`examples/tested_desk`: its tests are tests here, too."""

from examples.tested_desk.test_desk import *  # noqa: F403 - pytest collects what is imported
