"""What all tests of training share."""

from tests.training.runs import tiny_by_name

__all__ = ["tiny_by_name"]
