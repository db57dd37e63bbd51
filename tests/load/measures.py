"""What is measured of a process and of times."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path


def cpu_seconds(pid: int) -> float:
    """Processor time of the process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident(pid: int) -> float:
    """Megabytes of memory that the process has."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def p95(times: Sequence[float]) -> float:
    """The value that 95 % are not above."""
    return sorted(times)[max(0, -(-95 * len(times) // 100) - 1)]
