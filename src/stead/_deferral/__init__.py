"""What is shown to the model only when it needs it: deferred tools and capabilities, how they are found and loaded."""
