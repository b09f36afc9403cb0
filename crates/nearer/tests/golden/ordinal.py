"""Maps of triplets by cblearn: the value of its own objective, the points brought to a small size, and its objective there, by its own
code and written out in NumPy: ordinal.json.

    python3 ordinal.py > ordinal.json

Needs cblearn 0.4.0, NumPy and SciPy. A tenth of the answers is wrong, so that the best map has a size."""
import json

import numpy as np
from cblearn.embedding import CKL, SOE, STE
from cblearn.embedding._ckl import _ckl_x_loss
from cblearn.embedding._soe import _soe_loss
from cblearn.embedding._ste import _ste_x_grad

OBJECTS, ANSWERS, WRONG = 15, 400, 0.1


def answers(seed, dim):
    r = np.random.default_rng(seed)
    x = r.normal(size=(OBJECTS, dim))
    t = np.array([r.choice(OBJECTS, 3, replace=False) for _ in range(ANSWERS)])
    near, far = [np.linalg.norm(x[t[:, 0]] - x[t[:, k]], axis=1) for k in (1, 2)]
    swap = (near > far) != (r.random(ANSWERS) < WRONG)
    t[swap] = t[swap][:, [0, 2, 1]]
    return t


def written_out(name, x, t):
    near, far = [((x[t[:, 0]] - x[t[:, k]]) ** 2).sum(1) for k in (1, 2)]
    if name == "soe":
        return (np.maximum(1 + np.sqrt(near) - np.sqrt(far), 0) ** 2).sum()
    a = max(x.shape[1] - 1, 1)
    phi = {"ste": lambda s: s, "t-ste": lambda s: (a + 1) / 2 * np.log1p(s / a), "ckl": lambda s: np.log(0.05 + s)}[name]
    return np.logaddexp(0, phi(near) - phi(far)).sum()


def main():
    cases = []
    for seed, dim in ((1, 1), (2, 2), (3, 3)):
        t = answers(seed, dim)
        q = t[:, [0, 1, 0, 2]]
        ways = {
            "ste": (STE(dim, random_state=0), lambda x: _ste_x_grad(x.ravel(), x.shape, t, False)[0]),
            "t-ste": (STE(dim, heavy_tailed=True, random_state=0), lambda x: _ste_x_grad(x.ravel(), x.shape, t, True)[0]),
            "ckl": (CKL(dim, mu=0.05, random_state=0), lambda x: _ckl_x_loss(x.ravel(), x.shape, t, 0.05)[0]),
            "soe": (SOE(dim, margin=1.0, n_init=10, random_state=0), lambda x: len(t) * _soe_loss(x.ravel(), x.shape, q, 1.0)[0]),
        }
        maps = {}
        for name, (model, value) in ways.items():
            x = model.fit(t, n_objects=OBJECTS).embedding_
            objective = float(value(x))
            # Brought to a small size, where the 1e-12 that cblearn adds to a sum of two kernels is not felt.
            x = np.array([[float(f"{v:.6g}") for v in row] for row in 0.4 * x / np.sqrt((x**2).mean())])
            here = {"cblearn": float(value(x)), "written-out": float(written_out(name, x, t))}
            maps[name] = {"objective": objective, "points": x.tolist(), "here": here}
        cases.append({"dim": dim, "triplets": t.tolist(), "maps": maps})
    print(json.dumps(cases))


main()
