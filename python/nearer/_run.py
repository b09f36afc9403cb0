"""How to run: seed, threads, limits, progress, and what Ctrl-C does."""

from __future__ import annotations

import sys
import time
from types import SimpleNamespace
from typing import Any, Callable, NamedTuple

import numpy as np

from .errors import ParameterError, refuse

# A bar for what is over in a moment is noise.
PATIENCE = 2.0


class Step(NamedTuple):
    """What a progress callback is told. Giving back ``False`` ends the fit with the best so far."""

    phase: str
    task: tuple[int, int]
    iteration: int
    of: int | None
    objective: float
    seconds: float


def seed_of(random_state: Any) -> int:
    """The seed: 0 where nothing is said, so that a fit is the same every time, and the same as the command's."""
    if random_state is None:
        return 0
    if isinstance(random_state, (int, np.integer)):
        if random_state < 0:
            raise refuse(f"random_state={random_state}", "give 0 or more", ParameterError)
        return int(random_state)
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(np.iinfo(np.int32).max))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(np.iinfo(np.int32).max))
    raise refuse(f"random_state={random_state!r}", "give a whole number, a RandomState or a Generator", ParameterError)


def ask(random_state: Any = None, n_jobs: int | None = None, time_limit: float | None = None, memory: int | None = None) -> SimpleNamespace:
    """A run as the core takes it; ``n_jobs=None`` and ``-1`` take all cores, and no number changes the result."""
    if n_jobs is not None and (not isinstance(n_jobs, (int, np.integer)) or n_jobs == 0):
        raise refuse(f"n_jobs={n_jobs!r}", "give a number of threads, or -1 for all cores", ParameterError)
    if time_limit is not None and not time_limit > 0:
        raise refuse(f"time_limit={time_limit!r}", "give seconds, more than 0", ParameterError)
    threads = 0 if n_jobs is None or n_jobs < 0 else min(int(n_jobs), 256)
    return SimpleNamespace(seed=seed_of(random_state), threads=threads, time_limit=time_limit, memory=memory)


def watcher(progress: Any) -> Callable | None:
    """The callback for the core: the caller's own, a bar of tqdm, or none."""
    if progress is False:
        return None
    if callable(progress):
        return lambda *told: progress(Step(*told))
    if progress not in (None, True):
        raise refuse(f"progress={progress!r}", "give True, False or a function", ParameterError)
    if progress is None and not _interactive():
        return None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return _Bar(tqdm)


def _interactive() -> bool:
    return "ipykernel" in sys.modules or bool(getattr(sys.stderr, "isatty", lambda: False)())


class _Bar:
    """A bar that appears when a fit takes longer than a moment."""

    def __init__(self, tqdm: Any) -> None:
        self.tqdm, self.bar, self.started = tqdm, None, time.monotonic()

    def __call__(self, phase: str, task: tuple[int, int], iteration: int, of: int | None, objective: float, seconds: float) -> None:
        if seconds < PATIENCE:
            return
        if self.bar is None:
            self.bar = self.tqdm(total=of, desc=phase, leave=False)
        self.bar.total = of
        self.bar.n = iteration
        self.bar.set_description_str(f"{phase} {task[0] + 1} of {task[1]}" if task[1] > 1 else phase, refresh=False)
        # Searches have none.
        self.bar.set_postfix_str(f"objective {objective:.6g}" if np.isfinite(objective) else "")

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()
