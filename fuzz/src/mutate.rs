//! Mutations that know what files look like: numbers, fields, lines, headers, JSON, lengths in binary headers, gzip layers.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::rng::Rng;

/// A mutated input is no longer than this, so that one input costs microseconds.
const LONGEST: usize = 1 << 11;

/// Numbers at the edges of what a parser or an algorithm can take.
const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "1",
    "-1",
    "0.5",
    "2",
    "1e-320",
    "5e-324",
    "1e-160",
    "1e153",
    "1e154",
    "1e155",
    "1e300",
    "1e308",
    "1.7976931348623157e308",
    "1e309",
    "-1e308",
    "NaN",
    "nan",
    "inf",
    "-inf",
    "+1",
    "0x10",
    "1e",
    "1e+",
    ".5",
    "5.",
    "1,5",
    "1_000",
    "9007199254740993",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775809",
    "99999999999999999999999999",
    "<3",
    ">3",
    "<=1e308",
    "*",
    "NA",
    "",
    " ",
    "١",
];

/// Words that mean something to a reader, and some that must not.
const WORDS: &[&str] = &[
    "label",
    "id",
    "from",
    "to",
    "value",
    "weight",
    "participant",
    "head",
    "near",
    "far",
    "winner",
    "loser",
    "odd",
    "central",
    "shown",
    "chosen",
    "rank",
    "rest",
    "answer",
    "a",
    "b",
    "c",
    "d",
    "object",
    "class",
    "path",
    "parent",
    "child",
    "votes",
    "margin",
    "time",
    "time_ms",
    "left",
    "right",
    "check",
    "x",
    "y",
    "x1",
    "PC1",
    "similar",
    "must-link",
    "true",
    "#",
    "#nexus",
    "(root)",
    "a/b/c",
    "a>b",
    "=1+1",
    "\u{1b}[2J",
    "\u{202e}",
    "\u{feff}",
    "e\u{301}",
    "\u{e9}",
    "\0",
    "\"",
    "\"\"",
    "'",
    "((a,b),c);",
];

const SEPARATORS: &[u8] = b",;\t \n\r|/>:\"'()[]{}";

/// A changed copy of `input`, at times with a part of `other` in it.
pub(crate) fn mutated(input: &[u8], other: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..1 + rng.below(4) {
        step(&mut bytes, other, rng);
        bytes.truncate(LONGEST);
    }
    if rng.one_in(24) {
        bytes = layered(&bytes, rng);
    }
    bytes
}

fn step(bytes: &mut Vec<u8>, other: &[u8], rng: &mut Rng) {
    match rng.below(16) {
        0 => flip(bytes, rng),
        1 => bytes.truncate(rng.below(bytes.len() + 1)),
        2 | 3 => replace_field(bytes, rng.pick(NUMBERS).as_bytes(), rng),
        4 => replace_field(bytes, rng.pick(WORDS).as_bytes(), rng),
        5 => copy_field(bytes, rng),
        6 => lines(bytes, rng),
        7 => splice(bytes, other, rng),
        8 => header_of(bytes, other, rng),
        9 => insert(bytes, rng),
        10 => remove(bytes, rng),
        11 => separator(bytes, rng),
        12 => binary(bytes, rng),
        13 => repeat(bytes, rng),
        14 => digits(bytes, rng),
        _ => ends_of_lines(bytes, rng),
    }
}

fn flip(bytes: &mut [u8], rng: &mut Rng) {
    for _ in 0..1 + rng.below(3) {
        let k = rng.below(bytes.len());
        if let Some(b) = bytes.get_mut(k) {
            *b = if rng.one_in(2) { *b ^ (1 << rng.below(8)) } else { rng.next() as u8 };
        }
    }
}

/// The fields of a text as ranges: what stands between separators.
fn fields(bytes: &[u8]) -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    let mut from = 0;
    for k in 0..=bytes.len() {
        if k == bytes.len() || SEPARATORS.contains(&bytes[k]) {
            if k > from {
                all.push((from, k));
            }
            from = k + 1;
        }
    }
    all
}

fn replace_field(bytes: &mut Vec<u8>, with: &[u8], rng: &mut Rng) {
    let all = fields(bytes);
    if !all.is_empty() {
        let (from, to) = *rng.pick(&all);
        bytes.splice(from..to, with.iter().copied());
    }
}

/// One field written over another: labels that stand twice, rows of an object with itself.
fn copy_field(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let all = fields(bytes);
    if !all.is_empty() {
        let (from, to) = *rng.pick(&all);
        let field = bytes[from..to].to_vec();
        replace_field(bytes, &field, rng);
    }
}

/// A line taken out, doubled, or exchanged with another.
fn lines(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let mut all: Vec<Vec<u8>> = bytes.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
    if all.is_empty() {
        return;
    }
    let (i, j) = (rng.below(all.len()), rng.below(all.len()));
    match rng.below(4) {
        0 => drop(all.remove(i)),
        1 => all.insert(j, all[i].clone()),
        2 => all.swap(i, j),
        _ => all.truncate(i),
    }
    *bytes = all.concat();
}

fn splice(bytes: &mut Vec<u8>, other: &[u8], rng: &mut Rng) {
    let (from, to) = range(other.len(), rng);
    let (a, b) = range(bytes.len(), rng);
    bytes.splice(a..b, other[from..to].iter().copied());
}

/// The first line of another file over the rest of this one.
fn header_of(bytes: &mut Vec<u8>, other: &[u8], rng: &mut Rng) {
    let end = |b: &[u8]| b.iter().position(|b| *b == b'\n').map_or(b.len(), |k| k + 1);
    let keep = if rng.one_in(2) { end(bytes) } else { 0 };
    bytes.splice(..keep, other[..end(other)].iter().copied());
}

fn insert(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let at = rng.below(bytes.len() + 1);
    let text: Vec<u8> = match rng.below(3) {
        0 => vec![*rng.pick(SEPARATORS)],
        1 => rng.pick(WORDS).as_bytes().to_vec(),
        _ => (0..1 + rng.below(8)).map(|_| rng.next() as u8).collect(),
    };
    bytes.splice(at..at, text);
}

fn remove(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let (from, to) = range(bytes.len(), rng);
    bytes.drain(from..to.min(from + 64));
}

/// All separators of one kind turned into another.
fn separator(bytes: &mut [u8], rng: &mut Rng) {
    let (from, to) = (*rng.pick(SEPARATORS), *rng.pick(SEPARATORS));
    bytes.iter_mut().filter(|b| **b == from).for_each(|b| *b = to);
}

/// Eight bytes as a number of a header, or as a number of an array.
fn binary(bytes: &mut [u8], rng: &mut Rng) {
    let numbers = [0, 1, 2, 7, 8, 255, 65536, u64::from(u32::MAX), 1 << 40, i64::MAX as u64, u64::MAX];
    let floats = [0.0, -0.0, f64::NAN, f64::INFINITY, f64::MIN_POSITIVE, f64::MAX, -1e308, 1e154, 5e-324];
    let value = if rng.one_in(2) { *rng.pick(&numbers) } else { rng.pick(&floats).to_bits() };
    let at = if rng.one_in(4) { 0 } else { rng.below(bytes.len()) };
    for (b, v) in bytes[at..].iter_mut().zip(value.to_le_bytes()) {
        *b = v;
    }
}

fn repeat(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let (from, to) = range(bytes.len(), rng);
    let part = bytes[from..to.min(from + 256)].to_vec();
    let times = 1 + rng.below(24);
    bytes.splice(from..from, part.repeat(times));
}

fn digits(bytes: &mut [u8], rng: &mut Rng) {
    for b in bytes.iter_mut().filter(|b| b.is_ascii_digit()) {
        if rng.one_in(8) {
            *b = b'0' + rng.below(10) as u8;
        }
    }
}

fn ends_of_lines(bytes: &mut Vec<u8>, rng: &mut Rng) {
    const ENDS: [&[u8]; 4] = [b"\r\n", b"\r", b"\n\n", b""];
    let end = *rng.pick(&ENDS);
    *bytes = bytes.split(|b| *b == b'\n').collect::<Vec<_>>().join(end);
}

fn range(length: usize, rng: &mut Rng) -> (usize, usize) {
    let (a, b) = (rng.below(length + 1), rng.below(length + 1));
    (a.min(b), a.max(b))
}

/// The bytes gzipped, whole or damaged, once or twice.
fn layered(bytes: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut packed = gz(bytes);
    match rng.below(4) {
        0 => packed = gz(&packed),
        1 => packed.truncate(rng.below(packed.len() + 1)),
        2 => flip(&mut packed, rng),
        _ => {}
    }
    packed
}

/// The bytes, gzipped.
pub(crate) fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    // Writing to memory does not fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}
