"""The first lesson: five scenes that show why the KV of a request need not be contiguous."""
