"""Cases for type checkers: `make typecheck` holds each `assert_type` in pyright and in mypy. Nothing here runs."""
