"""The alias that lets code written against the mirrored API run on stead."""
