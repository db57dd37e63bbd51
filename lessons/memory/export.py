"""Where a file from the memory lesson comes from: workload, policy, block_size and day, stated in the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lab.serving.simulation import ServingPolicy, ServingResult
from lab.serving.workload import Uploaded
from lab.trace.late_imports import pandas as pd
from lessons.memory.prediction_form import format_policy
from lessons.text.translations import Translations


@dataclass(frozen=True)
class Origin:
    """The runs behind a picture's numbers. `workload`: its name in the address."""

    workload: str
    runs: Sequence[ServingResult]
    day: str  # YYYY-MM-DD

    def build_file_name(self, picture: str) -> str:
        """Return the file name without its ending."""
        used = self.runs[0].settings.workload
        digest = [used.digest] if isinstance(used, Uploaded) else []
        policies, sizes = self._list_policies(), self._list_sizes()
        policy = [policies[0].value.replace("_", "-")] if len(policies) == 1 else []
        size = [f"block{sizes[0]}"] if len(sizes) == 1 else []
        return "-".join(["paged-kv", picture, self.workload, *digest, *policy, *size, self.day])

    def describe(self, words: Translations) -> dict[str, str]:
        """Return the facts by title, without those that differ between runs: the picture and its table show them."""
        used = self.runs[0].settings.workload
        workload = words.text(f"memory.workload.{self.workload}")
        if isinstance(used, Uploaded):
            workload = words.text("memory.workload_file", name=workload, digest=used.digest)
        found = {words.text("memory.column.workload"): workload}
        policies, sizes = self._list_policies(), self._list_sizes()
        if len(policies) == 1:
            found[words.text("memory.column.policy")] = format_policy(policies[0].value, words)
        if len(sizes) == 1:  # beside other policies, say that it is the paged one's
            found["block_size" if len(policies) == 1 else words.text("memory.column.paged_size")] = str(sizes[0])
        return found | {words.text("memory.column.day"): self.day}

    def add_to_table(self, table: pd.DataFrame, words: Translations) -> pd.DataFrame:
        """Return the table with these facts as columns at the end."""
        return table.assign(
            **{title: fact for title, fact in self.describe(words).items() if title not in table.columns}
        )

    def format_caption(self, words: Translations) -> str:
        """Return the facts in one line."""
        return " · ".join(
            words.text("memory.fact", title=title, fact=fact) for title, fact in self.describe(words).items()
        )

    def _list_policies(self) -> list[ServingPolicy]:
        return list(dict.fromkeys(run.settings.policy for run in self.runs))

    def _list_sizes(self) -> list[int]:
        paged = (run.settings for run in self.runs if run.settings.policy is ServingPolicy.PAGED)
        return list(dict.fromkeys(settings.block_size for settings in paged))
