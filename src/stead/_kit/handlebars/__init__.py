"""Handlebars templates over plain data: a small interpreter that reads fields and calls nothing."""
