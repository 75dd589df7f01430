"""The `chromazoo` command."""
