"""The clients of AG-UI and of the Vercel AI SDK, which others wrote, against adapters that are served: `make clients`."""
