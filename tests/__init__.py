"""The tests of Chromazoo, laid out like the packages."""
