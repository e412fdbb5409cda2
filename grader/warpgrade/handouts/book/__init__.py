"""The course book: chapters, numbers and an index of terms."""
