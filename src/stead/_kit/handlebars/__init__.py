"""Handlebars templates over plain data: a small interpreter that reads fields and calls nothing."""

# Why not `pydantic-handlebars` (0.2.1, tried against our tests), which prints the same except for fields with an underscore:
# - What it says of unknown fields names no line, and it misses those of block parameters: `{{#with home as |h|}}{{h.x}}`.
# - An unknown helper, `{{upper name}}`, prints nothing, where ours refuses the template and names the line.
# - It serializes all dependencies before it looks at the template: one HTTP client among them, and every template fails.
# - It reads fields with an underscore, and `{{log x}}` issues a warning of the program.
# - Hostile templates: blocks nested 2,000 deep end in a `RecursionError`; 100,000 take 16 seconds, here 0.03.
