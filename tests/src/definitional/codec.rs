//! Encodings of texts, bit by bit.

use pif::fault::Code;

const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// Bits, the highest of each byte first.
fn bits(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().flat_map(|byte| (0..8).rev().map(move |at| byte >> at & 1)).collect()
}

fn number(bits: &[u8]) -> usize {
    bits.iter().fold(0, |n, bit| 2 * n + usize::from(*bit))
}

fn alphabet(encoding: &str) -> Option<Vec<char>> {
    match encoding {
        "base64" => Some(LETTERS.chars().chain("+/".chars()).collect()),
        "base64url" => Some(LETTERS.chars().chain("-_".chars()).collect()),
        _ => None,
    }
}

/// An encoded text; nothing where there is no such encoding.
pub(super) fn encode(text: &str, encoding: &str) -> Option<String> {
    let bytes = text.as_bytes();
    Some(match encoding {
        "hex" => bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat(),
        "url" | "component" => {
            let more = if encoding == "url" { "" } else { "!*'()" };
            let kept = format!("-._~{more}");
            let is_kept =
                |byte: u8| byte.is_ascii_alphanumeric() || kept.as_bytes().contains(&byte);
            let one = |byte: &u8| {
                if is_kept(*byte) { char::from(*byte).to_string() } else { format!("%{byte:02X}") }
            };
            bytes.iter().map(one).collect()
        }
        _ => {
            let alphabet = alphabet(encoding)?;
            let mut bits = bits(bytes);
            bits.resize(bits.len().next_multiple_of(6), 0);
            let mut out: String = bits.chunks(6).map(|six| alphabet[number(six)]).collect();
            while encoding == "base64" && !out.len().is_multiple_of(4) {
                out.push('=');
            }
            out
        }
    })
}

/// The text that was encoded.
pub(super) fn decode(text: &str, encoding: &str) -> Result<String, Code> {
    let bytes = match encoding {
        "hex" => hex(text).ok_or(Code::Unparsable)?,
        "url" | "component" => {
            let mut pieces = text.split('%');
            let mut bytes = pieces.next().unwrap_or_default().as_bytes().to_vec();
            for piece in pieces {
                let digits = piece.get(..2).ok_or(Code::Unparsable)?;
                bytes.extend(hex(digits).ok_or(Code::Unparsable)?);
                bytes.extend(&piece.as_bytes()[2..]);
            }
            bytes
        }
        _ => {
            let alphabet = alphabet(encoding).ok_or(Code::OutOfRange)?;
            let letters = text.trim_end_matches('=');
            let is_padded = letters.len() < text.len();
            if is_padded && text.len() != letters.len().next_multiple_of(4)
                || letters.len() % 4 == 1
            {
                return Err(Code::Unparsable);
            }
            let mut bits = Vec::new();
            for letter in letters.chars() {
                let place = alphabet.iter().position(|it| *it == letter);
                let place = place.ok_or(Code::Unparsable)?;
                bits.extend((0..6).rev().map(|at| u8::from(place >> at & 1 == 1)));
            }
            let (whole, rest) = bits.split_at(bits.len() / 8 * 8);
            if rest.contains(&1) {
                return Err(Code::Unparsable);
            }
            let byte = |eight: &[u8]| u8::try_from(number(eight)).unwrap_or_default();
            whole.chunks(8).map(byte).collect()
        }
    };
    String::from_utf8(bytes).map_err(|_| Code::Unparsable)
}

fn hex(digits: &str) -> Option<Vec<u8>> {
    let digits = digits.chars().map(|digit| digit.to_digit(16)).collect::<Option<Vec<_>>>()?;
    let byte = |pair: &[u32]| match *pair {
        [high, low] => u8::try_from(16 * high + low).ok(),
        _ => None,
    };
    digits.chunks(2).map(byte).collect()
}
