//! The program of stochastic triplet embedding over Gram matrices: comparisons answered by a coin that distances bend.

use crate::error::Error;
use crate::evidence::Comparisons;
use crate::program::gnmds::merged;
use crate::program::gram::Anchor;
use crate::program::rows::too_large;
use crate::program::{GramProgram, Rows, Sense};

/// `min trace ⟨H, G⟩ + Σ w_t ln(1 + exp(d(near_t) - d(far_t)))`; the same comparison said several times is one row with the sum
/// of the weights. The scale of the data is what all points in one place pay.
pub(crate) fn ste(c: &Comparisons, trace: f64) -> Result<GramProgram, Error> {
    let (pairs, list) = merged(c, |_| 0.0);
    let mut rows = Rows::default();
    let mut paid = 0.0;
    for (near, far, _, weight) in list {
        if !(weight * weight).is_finite() {
            return Err(too_large());
        }
        rows.push(&[(near, 1.0), (far, -1.0)], 0.0, 0.0, weight);
        paid += weight * std::f64::consts::LN_2;
    }
    let mut program =
        GramProgram::new(c.objects().len(), Sense::Minimise, paid).trace(trace).pairs(pairs).rows(rows).entropy();
    program.anchor = Some(Anchor::Zero(trace));
    program.checked()
}
