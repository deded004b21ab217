"""Chat completions: the protocol of OpenAI that several vendors speak, each with a dialect of its own."""
