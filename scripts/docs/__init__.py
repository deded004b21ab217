"""What `make docs` adds to the pages of `docs/`: the API reference, the changelog, `llms.txt`, diagrams."""
