"""The sandbox: a learner's own scenario as a value, a link or a file; replay at other sizes; prepared scenarios."""
