"""Tests of runs on Temporal, DBOS and Prefect; those that need a server start it, and are skipped where it is not installed."""
