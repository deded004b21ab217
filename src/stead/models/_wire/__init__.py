"""The way to a vendor's API below its SDK's typed methods: messages that are written once, and answers read from bytes."""
