//! What methods in the span of kernels are told: which training objects span the map, and along which axes it is seen.

use crate::evidence::{Kernels, spanning_objects};
use crate::method::table::{Kind, Parameter};
use crate::settings::{configured, words};
use crate::solve::Run;

/// How many training objects span the map.
pub(crate) const BASIS: Parameter = Parameter::auto("basis", Kind::Count { min: 1, max: u64::MAX })
    .says("how many training objects span the map; auto takes all of them");
/// Which of them.
pub(crate) const BASIS_BY: Parameter = Parameter::choice::<Pick>("basis-by", "random")
    .says("how the objects of a smaller basis are picked: at random, or each as far as it can be from those before it");
/// Which axes the map is seen along.
pub(crate) const PROJECTION: Parameter = Parameter::choice::<Axes>("projection", "objects").says(
    "project on the principal axes of the embedded training objects, or of the map itself (eigenvalues of Q^½ K Q^½)",
);
/// What is paid for the size of the map.
pub(crate) const TRACE: Parameter = Parameter::number("trace", Kind::Number { min: 0.0, max: 1e100 }, 0.0)
    .says("the weight of tr(Q K) in the objective");

/// Which axes a map of few dimensions is seen along.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Axes {
    /// The principal axes of the embedded training objects.
    #[default]
    Objects,
    /// The principal axes of the map itself: eigenvectors of `Q^½ K Q^½`, as in the sources. A direction that the kernel
    /// reaches far in counts, whether or not training objects lie there.
    Map,
}

words!(Axes { "objects" => Axes::Objects, "map" => Axes::Map });

/// How the objects of a smaller basis are picked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pick {
    /// At random, by the seed.
    #[default]
    Random,
    /// The first by the seed, then always the one farthest from those picked, in the distances of the kernels.
    Spread,
}

words!(Pick { "random" => Pick::Random, "spread" => Pick::Spread });

/// What all methods in the span of kernels can be told: which training objects span the map, and along which axes it is seen.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Spanning {
    pub(crate) basis: Option<usize>,
    pub(crate) pick: Pick,
    pub(crate) axes: Axes,
}

configured!(Spanning { basis: "basis", pick: "basis-by", axes: "projection" });

/// The setters every such method has; its field is called `spanning`.
macro_rules! setters {
    ($method:ty) => {
        impl $method {
            $crate::settings::settable! {
                /// In the span of so many training objects; by default all of them.
                basis: usize => spanning.basis,
                /// With the objects of a smaller basis picked in this way.
                pick: $crate::method::Pick => spanning.pick,
                /// Seen along these axes.
                axes: $crate::method::Axes => spanning.axes,
            }
        }
    };
}
pub(crate) use setters;

/// The columns that span the map: all of them, or some picked ones, in order.
pub(crate) fn columns(kernels: &Kernels, Spanning { basis, pick, .. }: Spanning, run: &Run<'_>) -> Vec<usize> {
    let n = kernels.objects().len();
    spanning_objects(kernels, basis.unwrap_or(n), pick == Pick::Spread, run.seed())
}
