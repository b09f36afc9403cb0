//! Single values of parquet as text: numbers with all their digits, 1 and 0 for true and false, days and moments as ISO 8601.

use std::io::Write as _;

use ::parquet::basic::{ConvertedType, LogicalType, TimeUnit};
use ::parquet::schema::types::ColumnDescriptor;

use super::column::quoted;

/// What the numbers or bytes of a column stand for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Meaning {
    /// Numbers, or text.
    Plain,
    /// Whole numbers that are not below 0.
    Unsigned,
    /// Days since 1970.
    Day,
    /// So many parts of a second since 1970.
    Moment(i64),
    /// Whole numbers with so many digits after the point.
    Decimal(usize),
    /// Two bytes of a number.
    Half,
}

impl Meaning {
    pub(super) fn of(column: &ColumnDescriptor) -> Meaning {
        match (column.logical_type_ref(), column.converted_type()) {
            (Some(LogicalType::Timestamp(t)), _) => Meaning::Moment(match t.unit {
                TimeUnit::MILLIS => 1000,
                TimeUnit::MICROS => 1_000_000,
                TimeUnit::NANOS => 1_000_000_000,
            }),
            (Some(LogicalType::Float16), _) => Meaning::Half,
            (_, ConvertedType::TIMESTAMP_MILLIS) => Meaning::Moment(1000),
            (_, ConvertedType::TIMESTAMP_MICROS) => Meaning::Moment(1_000_000),
            (_, ConvertedType::DATE) => Meaning::Day,
            (_, ConvertedType::UINT_32 | ConvertedType::UINT_64) => Meaning::Unsigned,
            (_, ConvertedType::DECIMAL) => Meaning::Decimal(usize::try_from(column.type_scale()).unwrap_or(0)),
            _ => Meaning::Plain,
        }
    }
}

type Written = Result<(), String>;

pub(super) fn truth(value: &bool, _: Meaning, text: &mut Vec<u8>) -> Written {
    text.push(if *value { b'1' } else { b'0' });
    Ok(())
}

pub(super) fn number(value: f64, text: &mut Vec<u8>) -> Written {
    // The shortest digits that give the same number again; Vec does not refuse bytes.
    let _ = write!(text, "{value:?}");
    Ok(())
}

/// A whole number of so many bits, by its meaning.
pub(super) fn whole(value: i64, bits: u32, meaning: Meaning, text: &mut Vec<u8>) -> Written {
    let _ = match meaning {
        Meaning::Unsigned if bits == 32 => write!(text, "{}", value as u32),
        Meaning::Unsigned => write!(text, "{}", value as u64),
        Meaning::Day => return day(value, text),
        Meaning::Moment(parts) => return moment(i128::from(value), parts, text),
        Meaning::Decimal(scale) => return decimal(i128::from(value), scale, text),
        Meaning::Plain | Meaning::Half => write!(text, "{value}"),
    };
    Ok(())
}

/// Bytes by their meaning: text, a decimal number, or half of a float.
pub(super) fn bytes(value: &[u8], meaning: Meaning, text: &mut Vec<u8>) -> Written {
    match (meaning, value) {
        (Meaning::Half, [low, high]) => number(half(u16::from_le_bytes([*low, *high])), text),
        (Meaning::Decimal(scale), _) if value.len() <= 16 => {
            let negative = value.first().is_some_and(|b| b & 0x80 != 0);
            let whole = value.iter().fold(if negative { -1_i128 } else { 0 }, |w, b| (w << 8) | i128::from(*b));
            decimal(whole, scale, text)
        }
        (Meaning::Decimal(_), _) => Err(format!("a decimal number of {} bytes is more than 38 digits", value.len())),
        _ => {
            let field = std::str::from_utf8(value)
                .map_err(|_| format!("`{}` is neither a number nor text in UTF-8", crate::io::cell::shown(value)))?;
            quoted(field, text);
            Ok(())
        }
    }
}

/// A number of 16 bits: a sign, five bits of exponent, ten of fraction.
fn half(bits: u16) -> f64 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    match exponent {
        0 => sign * fraction * 2_f64.powi(-24),
        31 if fraction == 0.0 => sign * f64::INFINITY,
        31 => f64::NAN,
        e => sign * (1024.0 + fraction) * 2_f64.powi(e - 25),
    }
}

fn decimal(value: i128, scale: usize, text: &mut Vec<u8>) -> Written {
    let digits = format!("{:0>width$}", value.unsigned_abs(), width = scale.min(64) + 1);
    let (before, after) = digits.split_at(digits.len() - scale.min(64));
    let (sign, point) = (if value < 0 { "-" } else { "" }, if scale > 0 { "." } else { "" });
    let _ = write!(text, "{sign}{before}{point}{after}");
    Ok(())
}

/// The day in the calendar, by eras of 400 years that begin in March (Hinnant's `civil_from_days`).
fn day(days: i64, text: &mut Vec<u8>) -> Written {
    let z = days.saturating_add(719_468);
    let (era, of_era) = (z.div_euclid(146_097), z.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let (day, month) = (of_year - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    let year = year_of_era + 400 * era + i64::from(month <= 2);
    let _ = write!(text, "{year:04}-{month:02}-{day:02}");
    Ok(())
}

/// A day and its time, `2026-11-17T21:30:00.5`, from parts of a second since 1970.
pub(super) fn moment(value: i128, parts: i64, text: &mut Vec<u8>) -> Written {
    let (seconds, rest) = (value.div_euclid(i128::from(parts)), value.rem_euclid(i128::from(parts)));
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    day(i64::try_from(days).map_err(|_| format!("{value} is no moment"))?, text)?;
    let _ = write!(text, "T{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60);
    if rest > 0 {
        let width = parts.ilog10() as usize;
        let fraction = format!("{rest:0width$}");
        let _ = write!(text, ".{}", fraction.trim_end_matches('0'));
    }
    Ok(())
}
