"""Our runs beside the paper's numbers, with what does not land and why. Nothing here is tuned to land.

Source: Kwon et al., SOSP 2023. Shares of the pool: Figure 2 (ShareGPT, the experiment of section 6.2). Mean batch:
Figure 13a (OPT-13B, ShareGPT, 2 requests a second). Both are averages over the paper's whole experiment; ours is a
pool where somebody always waits. vLLM's 3.7 % that are not tokens are not split in the figure.

Only ShareGPT is compared. Figure 13b has mean batches for Alpaca; its numbers are drawn in the figure, the paper's text
repeats none of them, and we had no copy of the figure to check them against. (Of 13a the text has two ratios; a test
holds our numbers to them.)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lab.serving.simulation import ServingPolicy, ServingResult, Settings
from lab.serving.workload import build_sharegpt

TOKEN_POINTS = 2.0  # how near the token share should be, in points (of percent of all slots)
BATCH_PERCENT = 15.0  # and the mean batch, in percent of the paper's
SEED = 0


@dataclass(frozen=True)
class PaperRow:
    """One bar of Figure 2, in percent of all slots (None: not in the figure), and one bar of Figure 13a."""

    tokens: float
    reserved: float | None
    internal: float | None
    external: float | None
    batch: float


PAPER = {
    ServingPolicy.MAXIMUM: PaperRow(20.4, 13.3, 57.3, 8.9, 7.00),
    ServingPolicy.POWER_OF_TWO: PaperRow(26.8, 17.9, 13.6, 41.6, 9.81),
    ServingPolicy.TRUE_LENGTH: PaperRow(38.2, 25.2, None, 36.6, 13.62),
    ServingPolicy.PAGED: PaperRow(96.3, None, None, None, 30.42),
}

# Why a policy may miss, as a code for the pages to put into words; known from experiments with the simulation.
# sharper_than_smooth: the reservation is rounded twice, the output to a power of two, and the piece again by the
#   buddy allocator, so the share hangs on how lengths lie against the powers of two. Ours are smooth and independent
#   of each other. It also hangs on a rule that the paper does not give: reserving beyond the maximum of 2,048 where
#   the rounding asks for it leaves 23 % for tokens, never doing so 30 %; the paper's 27 % is between them.
# always_full: somebody always waits in our pool; at the paper's 2 requests a second, vLLM's pool need not be full.
REASONS = {ServingPolicy.POWER_OF_TWO: "sharper_than_smooth", ServingPolicy.PAGED: "always_full"}
UNKNOWN = "unknown"


@dataclass(frozen=True)
class PaperComparison:
    """One policy: our result, the paper's row, and the difference between them."""

    result: ServingResult
    paper: PaperRow

    @property
    def policy(self) -> ServingPolicy:
        """Whose run it is."""
        return self.result.settings.policy

    @property
    def token_points(self) -> float:
        """Our token share less the paper's, in points."""
        return self.result.shares.tokens - self.paper.tokens

    @property
    def batch_percent(self) -> float:
        """Our mean batch less the paper's, in percent of the paper's."""
        return 100 * (self.result.mean_batch / self.paper.batch - 1)

    @property
    def tokens_land(self) -> bool:
        """Is the token share as near as it should be?"""
        return abs(self.token_points) <= TOKEN_POINTS

    @property
    def batch_lands(self) -> bool:
        """Is the mean batch as near as it should be?"""
        return abs(self.batch_percent) <= BATCH_PERCENT

    @property
    def why(self) -> str | None:
        """The reason why it does not land, as a code; None if it lands."""
        return None if self.tokens_land and self.batch_lands else REASONS.get(self.policy, UNKNOWN)


def build_paper_settings(steps: int = Settings.steps, seed: int = SEED) -> tuple[Settings, ...]:
    """The paper's four policies with lengths like ShareGPT's, in the order of Figure 2."""
    return tuple(Settings(build_sharegpt(), policy, steps=steps, seed=seed) for policy in PAPER)


def compare(results: Iterable[ServingResult]) -> tuple[PaperComparison, ...]:
    """Each result beside the paper's row of its policy. Fair only for what paper_settings describes."""
    return tuple(PaperComparison(result, PAPER[result.settings.policy]) for result in results)
