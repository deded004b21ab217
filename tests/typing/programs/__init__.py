"""Programs that users have written: checkers accept them in strict mode, and they run."""
