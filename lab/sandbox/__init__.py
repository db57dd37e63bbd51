"""The sandbox: anybody's own scenario as a value, a link, a file; replayed at another size; and the prepared ones."""
