//! Judgements in an array: whole numbers, one trial a row.

use csv::ByteRecord;

use crate::error::{At, Error, Remedy};
use crate::evidence::Task;
use crate::io::cell::Numerals;
use crate::io::judged::plan;
use crate::io::judged::trials::Rows;
use crate::io::kinds::{FileKind, Loaded, ReadOptions};
use crate::io::layout::refuse;
use crate::io::npy::Npy;
use crate::io::packing::check_bytes;
use crate::object::{Objects, numeric_order};

/// Rows decoded at a time.
const BLOCK: usize = 1 << 14;

/// Reads the trials of an array of shape N x 3, N x 4 …
pub(crate) fn read(mut npy: Npy, options: &ReadOptions) -> Result<Loaded, Error> {
    let at = npy.at();
    let kind = options.kind.or_else(|| plan::by_roles(options));
    let (&[rows, width], Some(kind), Some(task)) = (npy.shape.as_slice(), kind, kind.and_then(FileKind::task)) else {
        let kind = kind.map_or("judgements".to_string(), |k| k.to_string());
        let what = format!("an array of shape {:?} is not of the kind {kind}", npy.shape);
        return Err(refuse(
            &at,
            &what,
            Remedy::from("give one trial a row, N x 3 or N x 4, with ")
                .setting("kind", "triplets")
                .and(", quadruplets or odd-one-out"),
        ));
    };
    // Before anything is made for each column: a header may claim any number of them, also of no rows.
    let row = (width as u64).saturating_mul(16).saturating_add(128);
    let bytes = (rows as u64).saturating_mul(row).saturating_add((width as u64).saturating_mul(64));
    check_bytes(bytes, "the answers", &npy.source)?;
    let mut plan = plan::of_array(kind, width, options, &at)?;
    let names = options.objects.as_ref().filter(|o| numeric_order(o.labels()).is_none());
    if let Some(objects) = names {
        plan.said.push(format!("the numbers count the {} objects from 0", objects.len()));
    }
    let mut trials = Rows::new(&plan, task, Numerals { signed: true, ..Numerals::default() }, options, &npy.source);
    let mut record = ByteRecord::new();
    let mut block = Vec::new();
    if npy.fortran {
        npy.take(rows * width, &mut block)?;
        for row in 0..rows {
            add(&mut trials, &mut record, (0..width).map(|k| block[k * rows + row]), row, names, task, &at)?;
        }
    } else {
        let mut done = 0;
        while done < rows {
            let now = BLOCK.min(rows - done);
            block.clear();
            npy.take(now * width, &mut block)?;
            for row in 0..now {
                let values = block[row * width..(row + 1) * width].iter().copied();
                add(&mut trials, &mut record, values, done + row, names, task, &at)?;
            }
            done += now;
        }
    }
    npy.end()?;
    trials.finish(plan, &at)
}

/// One row as text, as if it stood in a table; its line is its number from 1.
fn add(
    trials: &mut Rows,
    record: &mut ByteRecord,
    values: impl Iterator<Item = f64>,
    row: usize,
    names: Option<&Objects>,
    task: Task,
    at: &At,
) -> Result<(), Error> {
    record.clear();
    let line = row as u64 + 1;
    for (k, v) in values.enumerate() {
        let place = || at.clone().line(line).column(k as u64 + 1);
        if v.fract() != 0.0 || v.abs() > 9e15 {
            return Err(Error::Value {
                at: place(),
                what: format!("{v} is not the number of an object"),
                remedy: format!("give whole numbers for {}", task.name()).into(),
            });
        }
        match names.filter(|_| trials.is_object(k)) {
            None => record.push_field(format!("{}", v as i64).as_bytes()),
            Some(objects) => {
                let label = (v >= 0.0).then(|| objects.labels().get(v as usize)).flatten();
                let label = label.ok_or_else(|| Error::Value {
                    at: place(),
                    what: format!("there is no object {v} among {}, counted from 0", objects.len()),
                    remedy: "if the array counts from 1, take 1 off; otherwise give all objects".into(),
                })?;
                record.push_field(label.as_bytes());
            }
        }
    }
    trials.add(record, line, at)
}
