"""Every method as an estimator of scikit-learn. Made by python/generate.py from the table of methods."""

from typing import Any, Callable, Literal, Sequence

import numpy as np
from nearer import Fit

class _Estimator:
    embedding_: np.ndarray
    fit_: Fit
    n_iter_: int
    stress_: float
    def get_params(self, deep: bool = ...) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> Any: ...

class _Table(_Estimator):
    def fit(self, X: Any, y: Any = ...) -> Any: ...
    def fit_transform(self, X: Any, y: Any = ...) -> np.ndarray: ...
    def transform(self, X: Any) -> np.ndarray: ...
    def get_feature_names_out(self, input_features: Any = ...) -> np.ndarray: ...
    def set_output(self, *, transform: str | None = ...) -> Any: ...

class _Classes(_Table):
    classes_: np.ndarray
    def fit(self, X: Any, y: Any) -> Any: ...

class _Tuples(_Estimator):
    objects_: np.ndarray
    def fit(self, X: Any, y: Any = ..., sample_weight: Any = ...) -> Any: ...
    def fit_transform(self, X: Any, y: Any = ..., sample_weight: Any = ...) -> np.ndarray: ...
    def transform(self, X: Any) -> np.ndarray: ...
    def predict(self, X: Any) -> np.ndarray: ...
    def decision_function(self, X: Any) -> np.ndarray: ...
    def score(self, X: Any, y: Any = ..., sample_weight: Any = ...) -> float: ...
    def pair_distance(self, pairs: Any) -> np.ndarray: ...
    def pair_score(self, pairs: Any) -> np.ndarray: ...
    def get_metric(self) -> Callable[[Any, Any], float]: ...

class MetricMDS(_Table):
    """least-squares scaling (SMACOF's stress): weights, missing and censored distances, ratio, interval and spline"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        transform_kind: Literal['ratio', 'interval', 'spline'] = ...,
        degree: int = ...,
        knots: int = ...,
        starts: int | Literal['auto'] = ...,
        max_iter: int = ...,
        eps: float = ...,
        metric: str | Callable[..., float] = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class NonmetricMDS(_Table):
    """Kruskal's scaling: only the order of the distances counts; reports degenerate maps as such"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        ties: Literal['primary', 'secondary', 'tertiary'] = ...,
        starts: int | Literal['auto'] = ...,
        max_iter: int = ...,
        eps: float = ...,
        metric: str | Callable[..., float] = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class ClassicalMDS(_Table):
    """classical scaling (principal coordinates): exact for Euclidean distances, with R's corrections and goodness of fit"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        correction: Literal['none', 'lingoes', 'cailliez'] = ...,
        eigenspace: Literal['positive', 'negative'] = ...,
        spectrum: Literal['auto', 'full', 'leading'] = ...,
        metric: str | Callable[..., float] = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class ConstantShift(_Table):
    """adds one number to all squared distances so that they become Euclidean; keeps their order"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        metric: str | Callable[..., float] = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class NearestEDM(_Table):
    """the nearest matrix of true Euclidean distances, with a bound on how near the nearest can be"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        gap: float = ...,
        max_iter: int = ...,
        metric: str | Callable[..., float] = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class Sstress(_Table):
    """descent on squared distances (S-stress); no guarantee, long distances count most"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        loss: Literal['squared', 'absolute'] = ...,
        starts: int | Literal['auto'] = ...,
        max_iter: int = ...,
        eps: float = ...,
        metric: str | Callable[..., float] = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class RobustMDS(_Table):
    """absolute errors of squared distances: a few wrong ones do not move the rest; proved to be the best"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        gap: float = ...,
        engine: Literal['auto', 'low-rank', 'gram-ipm'] = ...,
        refine: bool = ...,
        metric: str | Callable[..., float] = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class LandmarkMDS(_Table):
    """classical scaling of some landmarks, all others by triangulation: a million objects in bounded memory"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        landmarks: int = ...,
        landmarks_by: Literal['random', 'max-min'] = ...,
        metric: str | Callable[..., float] = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class Metricmap(_Table):
    """the Nyström variant with a landmark as origin, kept for comparison"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        landmarks: int = ...,
        landmarks_by: Literal['random', 'max-min'] = ...,
        metric: str | Callable[..., float] = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class Fastmap(_Table):
    """one pair of pivots an axis, then deflation: the cheapest map, kept for comparison"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        metric: str | Callable[..., float] = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class Indscal(_Table):
    """several people's distances: one map, and a weight for each person and axis"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        form: Literal['indscal', 'idioscal', 'identity'] = ...,
        starts: int | Literal['auto'] = ...,
        max_iter: int = ...,
        eps: float = ...,
        metric: str | Callable[..., float] = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class PCA(_Table):
    """principal components: the linear map of the features that keeps most of their variance"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        standardise: bool = ...,
        whiten: bool = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class KernelPCA(_Table):
    """kernel principal components: the axes of most variance in the feature space of a kernel"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class LDA(_Classes):
    """linear discriminants: the linear map of the features that tells classes apart"""
    def __init__(
        self,
        *,
        n_components: int | Literal['auto'] = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class Isomap(_Table):
    """Isomap: ways along a graph of neighbours, mapped by classical scaling; unrolls a sheet"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        neighbours: int = ...,
        join: Literal['union', 'mutual'] = ...,
        radius: float | None = ...,
        components: Literal['refuse', 'largest', 'joined'] = ...,
        search: Literal['auto', 'exact', 'approximate'] = ...,
        metric: str | Callable[..., float] = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class LandmarkIsomap(_Table):
    """Isomap from some landmarks, all others by triangulation: 100,000 objects in bounded memory"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        landmarks: int = ...,
        landmarks_by: Literal['random', 'max-min'] = ...,
        neighbours: int = ...,
        join: Literal['union', 'mutual'] = ...,
        radius: float | None = ...,
        components: Literal['refuse', 'largest', 'joined'] = ...,
        search: Literal['auto', 'exact', 'approximate'] = ...,
        metric: str | Callable[..., float] = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class LLE(_Table):
    """locally linear embedding, standard, modified, hessian or ltsa: what is linear nearby stays so"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        form: Literal['standard', 'modified', 'hessian', 'ltsa'] = ...,
        ridge: float = ...,
        neighbours: int = ...,
        join: Literal['union', 'mutual'] = ...,
        radius: float | None = ...,
        components: Literal['refuse', 'largest', 'joined'] = ...,
        search: Literal['auto', 'exact', 'approximate'] = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class LaplacianEigenmaps(_Table):
    """Laplacian eigenmaps: the smoothest functions on a graph of neighbours; with a time, diffusion maps"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        weights: Literal['binary', 'heat'] = ...,
        width: float | Literal['auto'] = ...,
        time: float = ...,
        neighbours: int = ...,
        join: Literal['union', 'mutual'] = ...,
        radius: float | None = ...,
        components: Literal['refuse', 'largest', 'joined'] = ...,
        search: Literal['auto', 'exact', 'approximate'] = ...,
        metric: str | Callable[..., float] = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class MVU(_Table):
    """maximum variance unfolding: neighbours stay within their distances (soft: at them), the rest goes apart; with a proof of optimality"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        neighbours: int = ...,
        join: Literal['union', 'mutual'] = ...,
        radius: float | None = ...,
        form: Literal['at-most', 'soft', 'penalised'] = ...,
        weight: float | Literal['auto'] = ...,
        variant: Literal['full', 'landmark', 'laplacian'] = ...,
        landmarks: int = ...,
        components: Literal['refuse', 'largest', 'joined'] = ...,
        search: Literal['auto', 'exact', 'approximate'] = ...,
        gap: float = ...,
        max_iter: int = ...,
        basis: int | Literal['auto'] = ...,
        metric: str | Callable[..., float] = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class Choice(_Tuples):
    """the likeliest map of answers, with the lapses of each participant; how distance counts is chosen by what it predicts"""
    def __init__(
        self,
        *,
        n_components: int | Literal['auto'] = ...,
        link: Literal['auto', 'distance', 'squared', 'student'] = ...,
        precision: float | Literal['auto'] = ...,
        lapses: float | Literal['auto', 'one', 'participant'] | None = ...,
        starts: int | Literal['auto'] = ...,
        max_iter: int = ...,
        eps: float = ...,
        objects: Sequence[Any] | int | None = ...,
        features: Any = ...,
        kernels: str | Sequence[str] | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class STE(_Tuples):
    """the likeliest map of answers, each the likelier the larger the difference of the squared distances"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        precision: float = ...,
        starts: int | Literal['auto'] = ...,
        max_iter: int = ...,
        eps: float = ...,
        objects: Sequence[Any] | int | None = ...,
        features: Any = ...,
        kernels: str | Sequence[str] | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class TSTE(_Tuples):
    """ste with the tails of Student's distribution: wrong answers about distant objects cost little"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        alpha: float | Literal['auto'] = ...,
        precision: float = ...,
        starts: int | Literal['auto'] = ...,
        max_iter: int = ...,
        eps: float = ...,
        objects: Sequence[Any] | int | None = ...,
        features: Any = ...,
        kernels: str | Sequence[str] | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class CKL(_Tuples):
    """the crowd kernel: the likelihood of an answer is the ratio of the squared distances"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        mu: float = ...,
        precision: float = ...,
        starts: int | Literal['auto'] = ...,
        max_iter: int = ...,
        eps: float = ...,
        objects: Sequence[Any] | int | None = ...,
        features: Any = ...,
        kernels: str | Sequence[str] | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class SOE(_Tuples):
    """soft ordinal embedding: what answers miss of their margin, squared; the only one of its kin that knows margins"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        starts: int | Literal['auto'] = ...,
        max_iter: int = ...,
        eps: float = ...,
        objects: Sequence[Any] | int | None = ...,
        features: Any = ...,
        kernels: str | Sequence[str] | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class Lore(_Tuples):
    """ste in generous room, with a penalty under which idle dimensions vanish; says how many are left"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        room: int | Literal['auto'] = ...,
        weight: float | Literal['auto'] = ...,
        starts: int | Literal['auto'] = ...,
        max_iter: int = ...,
        eps: float = ...,
        objects: Sequence[Any] | int | None = ...,
        features: Any = ...,
        kernels: str | Sequence[str] | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class NaiveOrder(_Tuples):
    """satisfies every comparison of a consistent set, in up to n - 1 dimensions; a map of few shows the leading axes"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        repair: Literal['none', 'prune', 'random', 'cheapest'] = ...,
        unconstrained: Literal['nearest', 'middle', 'farthest'] = ...,
        objects: Sequence[Any] | int | None = ...,
        features: Any = ...,
        kernels: str | Sequence[str] | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class Line(_Tuples):
    """decides whether all comparisons can hold in one dimension: the line, or a few of them that cannot"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        nodes: int = ...,
        objects: Sequence[Any] | int | None = ...,
        features: Any = ...,
        kernels: str | Sequence[str] | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class PSDE(_Tuples):
    """pairs said to be alike or not, or alike in grades: a ball for each object, as a convex program whose answer is proved to be the best"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        slack: float | None = ...,
        radii: Literal['each', 'one'] = ...,
        gap: float = ...,
        engine: Literal['auto', 'low-rank', 'gram-ipm'] = ...,
        refine: bool = ...,
        objects: Sequence[Any] | int | None = ...,
        features: Any = ...,
        kernels: str | Sequence[str] | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class MultipleMaps(_Tuples):
    """pairs alike: several maps at once, each object with a share of each, for things alike for several reasons"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        maps: int = ...,
        starts: int = ...,
        max_iter: int = ...,
        eps: float = ...,
        objects: Sequence[Any] | int | None = ...,
        features: Any = ...,
        kernels: str | Sequence[str] | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class GNMDS(_Tuples):
    """comparisons as a convex program: contradictions are paid for, and the answer is proved to be the best"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        slack: float | Literal['auto'] = ...,
        gap: float = ...,
        engine: Literal['auto', 'low-rank', 'gram-ipm'] = ...,
        refine: bool = ...,
        objects: Sequence[Any] | int | None = ...,
        features: Any = ...,
        kernels: str | Sequence[str] | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class ConvexSTE(_Tuples):
    """ste in squared distances, where it is convex: the likeliest solution, and a proof that there is none better"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        trace: float | Literal['auto'] = ...,
        gap: float = ...,
        refine: bool = ...,
        objects: Sequence[Any] | int | None = ...,
        features: Any = ...,
        kernels: str | Sequence[str] | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class PartialOrder(_Tuples):
    """comparisons as hard rows, everything else as far apart as a bound allows; a closed form where it is optimal"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        bound: float | Literal['auto', 'paper', 'smallest'] = ...,
        repair: Literal['none', 'prune', 'random', 'cheapest'] = ...,
        margins: Literal['given', 'linear', 'doubling'] = ...,
        smallest: bool = ...,
        gap: float = ...,
        engine: Literal['auto', 'low-rank', 'gram-ipm'] = ...,
        refine: bool = ...,
        objects: Sequence[Any] | int | None = ...,
        features: Any = ...,
        kernels: str | Sequence[str] | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class KPSDE(_Tuples):
    """pairs of objects with features: where an object lies is learned as a function of its features, with a proof"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        slack: float | Literal['auto'] = ...,
        trace: float = ...,
        basis: int | Literal['auto'] = ...,
        basis_by: Literal['random', 'spread'] = ...,
        projection: Literal['objects', 'map'] = ...,
        gap: float = ...,
        engine: Literal['auto', 'low-rank', 'gram-ipm'] = ...,
        refine: bool = ...,
        objects: Sequence[Any] | int | None = ...,
        features: Any = ...,
        kernels: str | Sequence[str] | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class KernelGNMDS(_Tuples):
    """comparisons of objects with features: where an object lies is learned as a function of its features, with a proof"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        slack: float | Literal['auto'] = ...,
        basis: int | Literal['auto'] = ...,
        basis_by: Literal['random', 'spread'] = ...,
        projection: Literal['objects', 'map'] = ...,
        gap: float = ...,
        engine: Literal['auto', 'low-rank', 'gram-ipm'] = ...,
        refine: bool = ...,
        objects: Sequence[Any] | int | None = ...,
        features: Any = ...,
        kernels: str | Sequence[str] | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class KernelPartialOrder(_Tuples):
    """comparisons of objects with one or several kinds of features: a metric for each kernel, as the comparisons need it"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        slack: float | Literal['auto'] = ...,
        trace: float | Literal['auto'] = ...,
        bound: float | Literal['auto'] = ...,
        weights: Literal['full', 'diagonal', 'kernel'] = ...,
        margins: Literal['given', 'linear', 'doubling'] = ...,
        basis: int | Literal['auto'] = ...,
        basis_by: Literal['random', 'spread'] = ...,
        projection: Literal['objects', 'map'] = ...,
        gap: float = ...,
        engine: Literal['auto', 'low-rank', 'gram-ipm'] = ...,
        refine: bool = ...,
        objects: Sequence[Any] | int | None = ...,
        features: Any = ...,
        kernels: str | Sequence[str] | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class SVMMetric(_Tuples):
    """comparisons of objects with features: a weight for each feature, or for each landmark of each kernel, with a proof"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        form: Literal['qp', 'trace'] = ...,
        over: Literal['kernels', 'features'] = ...,
        slack: float | Literal['auto'] = ...,
        basis: int | Literal['auto'] = ...,
        basis_by: Literal['random', 'spread'] = ...,
        projection: Literal['objects', 'map'] = ...,
        gap: float = ...,
        objects: Sequence[Any] | int | None = ...,
        features: Any = ...,
        kernels: str | Sequence[str] | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class RCA(_Classes):
    """features with classes or pairs: a metric in which those that belong together lie round, in closed form"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        form: Literal['whiten', 'literal'] = ...,
        ridge: float = ...,
        unit_variance: bool = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class NCA(_Classes):
    """features with classes or pairs: the linear map on which a neighbour drawn at random is most often of the same class"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        rank: int | Literal['auto'] = ...,
        start: Literal['auto', 'pca', 'scaled-pca', 'lda', 'random'] = ...,
        starts: int = ...,
        max_iter: int = ...,
        eps: float = ...,
        unit_variance: bool = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class LMNN(_Classes):
    """features with classes or comparisons: nearest neighbours of one class drawn in, others pushed beyond a margin, with a proof"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        targets: int = ...,
        push: float = ...,
        ridge: float = ...,
        gap: float = ...,
        max_iter: int = ...,
        unit_variance: bool = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class MMC(_Classes):
    """features with pairs or classes: those not alike as far apart as can be while those alike stay within a bound, with a proof"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        form: Literal['full', 'diagonal'] = ...,
        pairs: int | Literal['auto'] = ...,
        ridge: float = ...,
        gap: float = ...,
        max_iter: int = ...,
        unit_variance: bool = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class Mcml(_Classes):
    """features with classes: each class collapsed to one point and kept from the others, with a proof"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        trace: float = ...,
        gap: float = ...,
        max_iter: int = ...,
        unit_variance: bool = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class ITML(_Classes):
    """features with pairs, classes or comparisons: the metric nearest to the plain one under which those alike are near and the others far"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        pairs: int | Literal['auto'] = ...,
        slack: float = ...,
        eps: float = ...,
        max_iter: int = ...,
        unit_variance: bool = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class LocalMetric(_Classes):
    """features with classes or pairs: the metric under which each object most likely chooses some one of its own"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        rank: int | Literal['auto'] = ...,
        max_iter: int = ...,
        eps: float = ...,
        unit_variance: bool = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

class Pola(_Tuples):
    """features with pairs, one at a time: a metric and a threshold that each pair corrects, also from a stream"""
    def __init__(
        self,
        *,
        n_components: int = ...,
        passes: int = ...,
        unit_variance: bool = ...,
        objects: Sequence[Any] | int | None = ...,
        features: Any = ...,
        kernels: str | Sequence[str] | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        time_limit: float | None = ...,
    ) -> None: ...

def all_estimators() -> list[type]: ...
