//! The weights that a map gives to its landmarks, as a table: what a heat map is drawn of.

use std::io::{self, Write};

use crate::report::KernelReading;

/// Writes the weights as csv: a row for each landmark, a column for each kernel.
///
/// ```
/// use nearer::evidence::{KernelKind, KernelSpec, Kernels};
/// use nearer::{Embed, io::write_weights, method::SvmMetric, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let (features, answers) = toy::featured_answers(8, 2, 60, 0.0, 1);
/// let kernels = Kernels::new(answers.objects(), &[(KernelSpec::new("taste", KernelKind::Linear), Some(&features))])?;
/// let fit = SvmMetric::new(2).fit((&kernels, &answers))?;
/// let mut table = Vec::new();
/// write_weights(&mut table, fit.report.kernels.as_ref().expect("a kernel method")).expect("a vector takes all");
/// let text = String::from_utf8_lossy(&table).into_owned();
/// assert!(text.starts_with("landmark,taste\n") && text.lines().count() == 9);
/// # Ok(()) }
/// ```
pub fn write_weights(w: &mut dyn Write, reading: &KernelReading) -> io::Result<()> {
    let mut out = csv::Writer::from_writer(w);
    let header = std::iter::once("landmark").chain(reading.kernels.iter().map(|k| k.name.as_str()));
    out.write_record(header).map_err(io::Error::from)?;
    for (row, landmark) in reading.landmarks.iter().enumerate() {
        out.write_field(landmark).map_err(io::Error::from)?;
        for kernel in &reading.kernels {
            out.write_field(format!("{:?}", kernel.weights[row])).map_err(io::Error::from)?;
        }
        out.write_record(None::<&[u8]>).map_err(io::Error::from)?;
    }
    out.flush()
}
