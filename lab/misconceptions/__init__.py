"""Wrong ideas about paged KV memory, run beside the engine: each differs from it in exactly one place."""
