"""Questions about stead's own documentation, answered offline with quotes: embeddings, SQLite and an agent."""
