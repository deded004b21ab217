"""One tool call, from what the model sent to what it reads: validation, approval, execution, the answer; and outputs."""
