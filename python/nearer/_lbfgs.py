"""Limited-memory BFGS on the driver, for functions that a cluster adds up: few evaluations, each of them dear."""

from __future__ import annotations

from typing import Callable

import numpy as np

MEMORY = 12
DECREASE, CURVATURE = 1e-4, 0.9
# Below this share of its size a difference of two sums is rounding.
ROUNDING = 1e-14


def minimise(
    f: Callable[[np.ndarray], tuple[float, np.ndarray]], x: np.ndarray, *, max_iter: int, eps: float
) -> tuple[np.ndarray, float, int, str]:
    """The point, its value, the iterations and why it ended: the gradient is worth `eps` of the value, or nothing improves."""
    value, gradient = f(x)
    scale = max(1.0, abs(value))
    steps: list[tuple[np.ndarray, np.ndarray, float]] = []
    for iteration in range(1, max_iter + 1):
        if np.linalg.norm(gradient) * max(1.0, np.linalg.norm(x)) <= eps * scale:
            return x, value, iteration - 1, "converged"
        direction = -_times_inverse(gradient, steps)
        slope = float(np.vdot(gradient, direction))
        if slope >= 0:
            steps, direction = [], -gradient
            slope = float(np.vdot(gradient, direction))
        step = 1.0 if steps else min(1.0, 1.0 / max(np.abs(gradient).sum(), 1e-300))
        found = _searched(f, x, value, direction, slope, step)
        if found is None:
            if not steps:
                return x, value, iteration - 1, "stalled"
            steps = []
            continue
        new, new_value, new_gradient = found
        s, y = new - x, new_gradient - gradient
        if np.vdot(s, y) > 1e-12 * np.linalg.norm(s) * np.linalg.norm(y):
            steps = steps[-(MEMORY - 1) :] + [(s, y, 1.0 / float(np.vdot(s, y)))]
        x, value, gradient = new, new_value, new_gradient
    return x, value, max_iter, "iteration-limit"


def _times_inverse(gradient: np.ndarray, steps: list) -> np.ndarray:
    """The two loops of Nocedal (1980)."""
    q, taken = gradient.copy(), []
    for s, y, rho in reversed(steps):
        a = rho * float(np.vdot(s, q))
        taken.append(a)
        q -= a * y
    if steps:
        s, y, _ = steps[-1]
        q *= float(np.vdot(s, y)) / float(np.vdot(y, y))
    for (s, y, rho), a in zip(steps, reversed(taken)):
        q += (a - rho * float(np.vdot(y, q))) * s
    return q


def _searched(f: Callable, x: np.ndarray, value: float, direction: np.ndarray, slope: float, step: float):
    """A step that decreases enough and whose slope has flattened, by bisection and doubling (weak Wolfe conditions)."""
    low, high, best = 0.0, np.inf, None
    for _ in range(30):
        new = x + step * direction
        v, g = f(new)
        if not np.isfinite(v) or v > value + DECREASE * step * slope + ROUNDING * abs(value):
            high = step
        elif float(np.vdot(g, direction)) < CURVATURE * slope:
            low, best = step, (new, v, g)
        else:
            return new, v, g
        step = 2 * low if np.isinf(high) else (low + high) / 2
    return best
