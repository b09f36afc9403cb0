//! Whether the names of columns say by themselves what a table holds.

use super::headers::Names;
use crate::io::columns::{PAIRS, VALUES};

/// Names that mean judgements or a tree whatever else stands beside them.
const MEANT: [&[&str]; 5] = [&["a", "b", "c", "d"], &["from", "to"], &["object", "class"], &["path"], &["odd"]];

/// Whether a table with these columns holds judgements, classes, a tree or measured pairs, by their names alone: as a file with this
/// header would be taken. Single letters could as well be labels over a matrix, and say so only where they are the usual four.
///
/// ```
/// use nearer::io::is_known_header;
/// assert!(is_known_header(&["reference", "closer", "farther", "participant"]));
/// assert!(is_known_header(&["item1", "item2", "dissimilarity"]));
/// assert!(!is_known_header(&["height", "weight", "value"]));
/// ```
pub fn is_known_header<S: AsRef<str>>(columns: &[S]) -> bool {
    let header: Vec<String> = columns.iter().map(|c| c.as_ref().to_owned()).collect();
    let names = Names::new(&header);
    let all = |wanted: &[&str]| wanted.iter().all(|name| names.find(&[name]).is_some());
    names.readings(None).iter().any(|found| !found.letters)
        || names.unclear_choice().is_some()
        || MEANT.iter().any(|wanted| all(wanted))
        || (PAIRS.iter().any(|(a, b)| a.len() > 1 && all(&[a, b])) && names.find(&VALUES).is_some())
}
