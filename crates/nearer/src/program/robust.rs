//! The program of robust scaling: absolute errors of squared distances, so that a few wrong ones do not move the rest.

use nearer_num::{definite, packed};

use crate::error::{Error, Remedy};
use crate::evidence::Distances;
use crate::program::certify::assemble;
use crate::program::gram::Anchor;
use crate::program::{GramProgram, Interval, Rows, Sense};

/// `min Σ w_p |δ_p² - d_p|` over the known pairs. The scale of the gap is `Σ w δ²`, the value of all points in one place.
///
/// Refused where the known pairs do not connect all objects, since two parts could then be any distance apart.
pub(crate) fn robust(d: &Distances) -> Result<GramProgram, Error> {
    let n = d.objects().len();
    let mut pairs = Vec::new();
    let mut rows = Rows::default();
    let mut least = Vec::new();
    let mut scale = 0.0;
    for k in 0..packed::len(n) {
        let weight = d.weights().map_or(1.0, |w| w[k]);
        let value = d.condensed()[k];
        if weight > 0.0 && value.is_finite() {
            let (i, j) = packed::pair(n, k);
            let Interval { low, high } = Interval::absolute(weight);
            rows.push(&[(pairs.len() as u32, -1.0)], value * value, low, high);
            pairs.push((i as u32, j as u32));
            least.push(-weight);
            scale += weight * value * value;
        }
    }
    let mut program = GramProgram::new(n, Sense::Minimise, scale).pairs(pairs).rows(rows).checked()?;
    let room = least_of(&program, &least);
    if room <= 0.0 {
        return Err(Error::Evidence {
            what: "the known distances do not hold all objects together".into(),
            remedy: Remedy::default()
                .command("check")
                .and(" names the parts; give a distance between them, or map them apart"),
        });
    }
    program.anchor = Some(Anchor::Rows(least, room));
    Ok(program)
}

/// A number below the least eigenvalue of the dual matrix at these multipliers.
pub(crate) fn least_of(program: &GramProgram, y: &[f64]) -> f64 {
    let a = assemble(program.n, program.trace, &program.weights(y, &[]), true);
    let below = definite::least_eigenvalue(a.matrix.view());
    below.value - a.error()
}
