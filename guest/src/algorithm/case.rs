//! Upper and lower case. ASCII is converted eight bytes at a time, Latin-1 letters one by one, all
//! others by the standard library.

use crate::memory::flat::recase;
use pif_core::text::digits::HIGH;

use pif_core::text::scan::Places;

/// The first byte of `À` to `ÿ`.
const LATIN: u8 = 0xc3;

/// Returns the bytes of a text in upper case.
pub(crate) fn upper(text: &[u8]) -> Vec<u8> {
    // Capitals and the division sign stay. `ß` becomes two letters. The others, except `ÿ`, have
    // their capitals 0x20 before them.
    let latin = |byte, out: &mut Vec<u8>| match byte {
        0xa0..=0xb6 | 0xb8..=0xbe => out.extend_from_slice(&[LATIN, byte - 0x20]),
        0x9f => out.extend_from_slice(b"SS"),
        0xbf => push('Ÿ', out),
        _ => out.extend_from_slice(&[LATIN, byte]),
    };
    changed(text, b'a', latin, |c, out| c.to_uppercase().for_each(|c| push(c, out)))
}

/// Returns the bytes of a text in lower case.
pub(crate) fn lower(text: &[u8]) -> Vec<u8> {
    // The small letter of a capital sigma depends on its neighbors.
    if Places::new(text, "Σ".as_bytes()).next().is_some() {
        return std::str::from_utf8(text).unwrap_or_default().to_lowercase().into_bytes();
    }
    let latin = |byte, out: &mut Vec<u8>| match byte {
        0x80..=0x96 | 0x98..=0x9e => out.extend_from_slice(&[LATIN, byte + 0x20]),
        _ => out.extend_from_slice(&[LATIN, byte]),
    };
    changed(text, b'A', latin, |c, out| c.to_lowercase().for_each(|c| push(c, out)))
}

/// Turns the 26 letters from `from` on into those `0x20` away. `latin` writes the characters from
/// `À` to `ÿ`, given their second byte; `other` writes all others.
#[inline(always)]
fn changed(
    bytes: &[u8],
    from: u8,
    latin: impl Fn(u8, &mut Vec<u8>),
    other: impl Fn(char, &mut Vec<u8>),
) -> Vec<u8> {
    let (mut out, mut at) = (Vec::with_capacity(bytes.len() + 8), 0);
    while let Some(first) = bytes.get(at) {
        let mut run = [0; 8];
        let rest = bytes.get(at..).unwrap_or_default();
        match rest.first_chunk::<8>() {
            Some(eight) => run = *eight,
            // The padding must not count as ASCII.
            None => {
                run.iter_mut()
                    .zip(rest.iter().chain([&0xff; 8]))
                    .for_each(|(to, byte)| *to = *byte);
            }
        }
        let word = u64::from_le_bytes(run);
        let plain = (word & HIGH).trailing_zeros() as usize / 8;
        if plain > 0 {
            // A byte that is not ASCII spoils only the bytes after it.
            let end = out.len() + plain;
            out.extend_from_slice(&recase(word, from).to_le_bytes());
            out.truncate(end);
            at += plain;
        } else if let (LATIN, Some(second)) = (*first, bytes.get(at + 1)) {
            latin(*second, &mut out);
            at += 2;
        } else {
            let next = rest.get(..rest.len().min(4)).unwrap_or_default().utf8_chunks().next();
            let Some(c) = next.and_then(|next| next.valid().chars().next()) else { break };
            other(c, &mut out);
            at += c.len_utf8();
        }
    }
    out
}

fn push(c: char, out: &mut Vec<u8>) {
    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}
