"""The games of Chromazoo and their faces."""
