"""What SciPy makes of small tables: python3 tables.py > tables_scipy.json"""
import json

import numpy as np
import scipy
from scipy.spatial.distance import pdist
from scipy.stats import spearmanr

rng = np.random.default_rng(11)
x = rng.normal(size=(13, 11)) * rng.uniform(0.1, 20, size=11)
a = rng.poisson(rng.gamma(0.6, 4.0, size=(13, 11))).astype(float) + (np.arange(11) == 4)
p = a > 0
cases = []
for name, metric, extra in [
    ("euclidean", "euclidean", {}), ("squared-euclidean", "sqeuclidean", {}), ("manhattan", "cityblock", {}),
    ("chebyshev", "chebyshev", {}), ("minkowski:3", "minkowski", {"p": 3}), ("standardised-euclidean", "seuclidean", {}),
    ("canberra", "canberra", {}), ("cosine", "cosine", {}), ("correlation", "correlation", {}), ("hamming", "hamming", {}),
]:
    cases.append({"name": name, "table": "numbers", "values": pdist(x, metric, **extra).tolist()})
few = x[:, :4]
cases.append({"name": "mahalanobis", "table": "few", "values": pdist(few, "mahalanobis").tolist()})
cases.append({"name": "spearman", "table": "numbers",
              "values": (1 - spearmanr(x, axis=1).statistic)[np.triu_indices(13, 1)].tolist()})
for name, metric in [("bray-curtis", "braycurtis"), ("jensen-shannon", "jensenshannon"), ("hamming", "hamming")]:
    cases.append({"name": name, "table": "counts", "values": pdist(a, metric).tolist()})
for name, metric in [("jaccard", "jaccard"), ("sorensen", "dice"), ("simple-matching", "hamming"), ("rogers-tanimoto", "rogerstanimoto"),
                     ("russell-rao", "russellrao"), ("sokal-sneath", "sokalsneath"), ("yule", "yule")]:
    cases.append({"name": name, "table": "counts", "values": pdist(p, metric).tolist()})
both = (p[:, None] & p[None]).sum(2)
cases.append({"name": "ochiai", "table": "counts",
              "values": (1 - both / np.sqrt(np.outer(p.sum(1), p.sum(1))))[np.triu_indices(13, 1)].tolist()})
print(json.dumps({"by": f"SciPy {scipy.__version__}, NumPy {np.__version__}", "numbers": x.tolist(), "few": few.tolist(),
                  "counts": a.tolist(), "cases": cases}))
