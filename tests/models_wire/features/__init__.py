"""What stead does with each API, as a table whose cells are tests; `write_table.py` makes a page of the documentation of it.

A feature is one row in `_features.py`: what is asked of all vendors, and what must be read from all of them. A vendor is one
file, named in `COLUMNS` of `_table.py`: the fields of its requests and the wire form of its answers. A feature that is new, or
a vendor, fails `test_a_vendor_has_every_cell` until each cell is said: with `sends`, `reads` and `streams`, or with `lacks`,
which may say what happens if one asks anyway. Values are patterns (`_match.py`): what they leave out does not matter.
"""
