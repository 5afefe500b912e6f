//! Bytes as text: base64 and base64url (RFC 4648, sections 4 and 5), hexadecimal digits (section
//! 8), and percent-encoding (RFC 3986, section 2.1).

/// Most bytes of the encoded text for each byte.
pub(crate) const MOST: u64 = 3;

/// An encoding of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Base64,
    Base64Url,
    Hex,
    Url,
    /// `Url` as `encodeURIComponent` of JavaScript has it.
    Component,
}

impl Encoding {
    pub(crate) const ALL: [Self; 5] =
        [Self::Base64, Self::Base64Url, Self::Hex, Self::Url, Self::Component];

    /// Returns the encoding of this name.
    pub(crate) fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }

    /// Returns its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Base64 => "base64",
            Self::Base64Url => "base64url",
            Self::Hex => "hex",
            Self::Url => "url",
            Self::Component => "component",
        }
    }
}

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const LOWER: &[u8; 16] = b"0123456789abcdef";
const UPPER: &[u8; 16] = b"0123456789ABCDEF";

/// Encodes bytes. base64 is padded, base64url is not. `url` keeps the unreserved characters,
/// `component` also `!'()*`.
pub(crate) fn encode(bytes: &[u8], encoding: Encoding) -> String {
    let mut out = String::new();
    match encoding {
        Encoding::Base64 => base64(bytes, STANDARD, true, &mut out),
        Encoding::Base64Url => base64(bytes, URL_SAFE, false, &mut out),
        Encoding::Hex => bytes.iter().for_each(|byte| hex(*byte, LOWER, &mut out)),
        Encoding::Url | Encoding::Component => {
            let kept: &[u8] = if encoding == Encoding::Url { b"-._~" } else { b"-._~!'()*" };
            for byte in bytes {
                if byte.is_ascii_alphanumeric() || kept.contains(byte) {
                    out.push(char::from(*byte));
                } else {
                    out.push('%');
                    hex(*byte, UPPER, &mut out);
                }
            }
        }
    }
    out
}

fn hex(byte: u8, digits: &[u8; 16], out: &mut String) {
    for digit in [byte >> 4, byte & 15] {
        out.extend(digits.get(usize::from(digit)).map(|digit| char::from(*digit)));
    }
}

fn base64(bytes: &[u8], alphabet: &[u8; 64], is_padded: bool, out: &mut String) {
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte));
        let bits = bits << (8 * (3 - group.len()));
        for at in 0..=group.len() {
            let index = (bits >> (18 - 6 * at)) & 63;
            out.extend(alphabet.get(index as usize).map(|it| char::from(*it)));
        }
        if is_padded {
            out.extend(std::iter::repeat_n('=', 3 - group.len()));
        }
    }
}

/// Decodes a text, or returns the reason why it is not in this encoding. base64 may lack its
/// padding.
pub(crate) fn decode(text: &str, encoding: Encoding) -> Result<Vec<u8>, &'static str> {
    match encoding {
        Encoding::Base64 => from_base64(text, STANDARD),
        Encoding::Base64Url => from_base64(text, URL_SAFE),
        Encoding::Hex => from_hex(text.as_bytes()),
        Encoding::Url | Encoding::Component => from_url(text.as_bytes()),
    }
}

fn from_hex(digits: &[u8]) -> Result<Vec<u8>, &'static str> {
    let byte = |pair: &[u8]| match *pair {
        [high, low] => Ok(digit(high)? << 4 | digit(low)?),
        _ => Err("the number of its digits is odd"),
    };
    digits.chunks(2).map(byte).collect()
}

fn digit(digit: u8) -> Result<u8, &'static str> {
    let value = char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    value.ok_or("the digits are 0 to 9 and a to f")
}

fn from_url(text: &[u8]) -> Result<Vec<u8>, &'static str> {
    let (mut out, mut rest) = (Vec::new(), text);
    while let Some((first, more)) = rest.split_first() {
        rest = more;
        if *first != b'%' {
            out.push(*first);
            continue;
        }
        let Some((pair, more)) = rest.split_at_checked(2) else {
            return Err("each `%` needs two digits");
        };
        out.extend(from_hex(pair).map_err(|_| "each `%` needs two digits")?);
        rest = more;
    }
    Ok(out)
}

fn from_base64(text: &str, alphabet: &[u8; 64]) -> Result<Vec<u8>, &'static str> {
    let letters = text.trim_end_matches('=');
    let padding = text.len() - letters.len();
    if padding > 0 && (padding > 2 || !text.len().is_multiple_of(4)) {
        return Err("its padding is wrong");
    }
    let mut out = Vec::new();
    for group in letters.as_bytes().chunks(4) {
        let mut bits = 0_u32;
        for letter in group {
            let place = alphabet.iter().position(|it| it == letter);
            let place = place.and_then(|place| u32::try_from(place).ok());
            bits = bits << 6 | place.ok_or("it has a character outside the alphabet")?;
        }
        // The last letter of a short group has unused bits, which must be 0.
        let unused = match group.len() {
            4 => 0,
            3 => 2,
            2 => 4,
            _ => return Err("a letter is missing"),
        };
        if bits & ((1 << unused) - 1) != 0 {
            return Err("its last letter has extra bits");
        }
        let bytes = (bits >> unused).to_be_bytes();
        out.extend_from_slice(bytes.get(5 - group.len()..).unwrap_or_default());
    }
    Ok(out)
}
