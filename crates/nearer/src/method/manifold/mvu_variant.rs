//! The variants of maximum variance unfolding: where its coordinates are looked for.

use ndarray::{Array2, Axis, s};

use crate::error::Error;
use crate::method::manifold::mvu::Mvu;
use crate::settings::words;
use crate::solve::factor_ipm::{Edges, span};

/// Where the coordinates are looked for. With many objects a restriction makes the program small; its bound is then that
/// of the restricted program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// Anywhere.
    Full,
    /// Every object is a combination of landmarks, by weights that reconstruct each object from its neighbours
    /// (Weinberger, Packer and Saul 2005).
    Landmark,
    /// Coordinates are combinations of the smoothest eigenvectors of the graph Laplacian (Weinberger, Sha, Zhu and Saul
    /// 2007).
    Laplacian,
}

words!(Variant { "full" => Variant::Full, "landmark" => Variant::Landmark, "laplacian" => Variant::Laplacian });

impl Mvu {
    /// What the coordinates are combinations of.
    pub(super) fn span(
        &self,
        edges: &Edges,
        apart: &dyn Fn(usize, usize) -> Option<f64>,
    ) -> Result<Option<Array2<f64>>, Error> {
        let span = match self.variant {
            Variant::Full => return Ok(None),
            Variant::Landmark => span::from_landmarks(edges, self.landmarks.min(edges.n), apart)?,
            Variant::Laplacian => span::smoothest(edges, self.landmarks.min(edges.n - 1))?,
        };
        orthonormal(&span).map(Some)
    }

    /// What the coordinates of a restricted program combine.
    pub(super) fn what(&self) -> &'static str {
        match self.variant {
            Variant::Landmark => "landmarks",
            _ => "eigenvectors of the neighbour graph",
        }
    }
}

/// Orthonormal vectors that sum to zero, of the same span.
pub(super) fn orthonormal(columns: &Array2<f64>) -> Result<Array2<f64>, Error> {
    let mean = columns.mean_axis(Axis(0)).unwrap_or_default();
    let parts = nearer_num::dense::svd((columns - &mean).view())
        .map_err(|_| Error::Numerical { what: "the singular values of the span".into() })?;
    let kept = parts.s.iter().filter(|v| **v > 1e-10 * parts.s[0]).count().max(1);
    Ok(parts.u.slice(s![.., ..kept]).to_owned())
}
