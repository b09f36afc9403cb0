//! Numbers in the page: as they are where they are few, as base64 of 32-bit values where they are many.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

/// Beyond this many objects or rows numbers are packed.
pub(super) const PLAIN: usize = 5000;

/// A list of numbers that the page's script unpacks.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub(super) enum Numbers {
    /// All digits, so that what is saved from the page reads back to the last bit.
    Plain(Vec<f64>),
    /// Little-endian 32-bit floats in base64.
    Floats { f32: String },
    /// Whole numbers, plain.
    Whole(Vec<u32>),
    /// Little-endian 32-bit whole numbers in base64.
    Packed { u32: String },
}

impl Numbers {
    /// Real numbers, in single precision where there are many.
    pub(super) fn real(values: Vec<f64>) -> Self {
        if values.len() <= PLAIN {
            return Numbers::Plain(values);
        }
        Numbers::Floats {
            f32: STANDARD.encode(values.iter().flat_map(|v| (*v as f32).to_le_bytes()).collect::<Vec<u8>>()),
        }
    }

    /// Whole numbers; `u32::MAX` stands for none.
    pub(super) fn whole(values: Vec<u32>) -> Self {
        if values.len() <= PLAIN {
            return Numbers::Whole(values);
        }
        Numbers::Packed { u32: STANDARD.encode(values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_numbers_keep_every_digit_and_many_are_packed() {
        let few = serde_json::to_string(&Numbers::real(vec![0.1 + 0.2, -1e-300])).unwrap();
        assert_eq!(few, "[0.30000000000000004,-1e-300]");
        let many = serde_json::to_value(Numbers::real(vec![1.0; PLAIN + 1])).unwrap();
        let bytes = STANDARD.decode(many["f32"].as_str().unwrap()).unwrap();
        assert_eq!((bytes.len(), &bytes[..4]), (4 * (PLAIN + 1), &1f32.to_le_bytes()[..]));
    }
}
