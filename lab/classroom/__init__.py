"""A class that answers together: its phases, its refusals, and what its votes add up to. Pure; nothing is stored."""
