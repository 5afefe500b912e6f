//! Reads arguments of the command line: the argument itself, a file or standard input. Files are
//! UTF-8, with or without a byte order mark.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail};
use pif_domain::text::unfence;
use pif_system::stdio;

/// Returns the argument itself, or the text that `-` or `@FILE` refers to.
pub(super) fn read(argument: &str) -> Result<String> {
    match argument.strip_prefix('@') {
        _ if argument == "-" => read_file("-"),
        Some(path) => read_file(path),
        None => Ok(argument.to_owned()),
    }
}

/// Returns a program: the argument itself, or the text that `-` or `@FILE` refers to. A program may
/// begin with a tool, as in `@double(21)`.
pub(super) fn read_code(argument: &str) -> Result<String> {
    let is_program = |rest: &str| rest.contains(['(', '"']) && !Path::new(rest).exists();
    let text = match argument.strip_prefix('@') {
        Some(rest) if is_program(rest) => argument.to_owned(),
        _ => read(argument)?,
    };
    Ok(unfence(&text).to_owned())
}

/// Takes a program or an input that may begin with `-`. What looks like an option is none of either.
pub(super) fn hyphened(argument: &str) -> Result<String, String> {
    match argument.strip_prefix("--") {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_alphabetic()) => {
            Err("there is no such option; a program that begins so stands behind `--`".to_owned())
        }
        _ => Ok(argument.to_owned()),
    }
}

/// Reads a file as text, or standard input for `-`.
pub(super) fn read_file(path: &str) -> Result<String> {
    read_file_within(path, u64::MAX)
}

/// Reads a file of so many bytes at most as text, or standard input for `-`.
pub(super) fn read_file_within(path: &str, most: u64) -> Result<String> {
    let read = || -> Result<String> {
        let mut bytes = Vec::new();
        let input: Box<dyn Read> = match path {
            "-" => Box::new(stdio::stdin()),
            path => Box::new(File::open(path)?),
        };
        let length = input.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
        if u64::try_from(length)? > most {
            bail!("it has more than the {most} bytes that are accepted");
        }
        decode(bytes)
    };
    let shown = if path == "-" { "stdin" } else { path };
    read().with_context(|| format!("cannot read {shown}"))
}

fn decode(mut bytes: Vec<u8>) -> Result<String> {
    if is_utf_16(&bytes) {
        bail!(
            "it is UTF-16: write it as UTF-8, in PowerShell by `… | Out-File -Encoding utf8 FILE`"
        );
    }
    if bytes.starts_with("\u{feff}".as_bytes()) {
        bytes.drain(.."\u{feff}".len());
    }
    String::from_utf8(bytes).map_err(|error| {
        let place = error.utf8_error().valid_up_to();
        anyhow::anyhow!("it is not UTF-8: the byte at position {place} belongs to no character")
    })
}

/// Whether bytes look like UTF-16: they begin with its byte order mark or with an ASCII character.
fn is_utf_16(bytes: &[u8]) -> bool {
    match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => true,
        [first, second, ..] => (*first == 0) != (*second == 0),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::decode;

    fn told(bytes: &[u8]) -> String {
        decode(bytes.to_vec()).map_or_else(|error| format!("{error:#}"), |text| format!("={text}"))
    }

    #[test]
    fn a_mark_is_no_part_of_the_text() {
        assert_eq!(told(b"\xef\xbb\xbf{}"), "={}");
        assert_eq!(told(b"\xef\xbb\xbf"), "=");
        assert_eq!(told("a\u{feff}b".as_bytes()), "=a\u{feff}b");
        assert_eq!(told(b""), "=");
    }

    #[test]
    fn utf_16_is_told_by_name() {
        let wide = |mark: bool, little: bool| {
            let text: String =
                mark.then_some('\u{feff}').into_iter().chain("{\"a\":1}".chars()).collect();
            let bytes = |unit: u16| if little { unit.to_le_bytes() } else { unit.to_be_bytes() };
            text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>()
        };
        for (mark, little) in [(true, true), (true, false), (false, true), (false, false)] {
            assert!(told(&wide(mark, little)).starts_with("it is UTF-16"), "{mark} {little}");
        }
        assert!(told(b"ab\xe9").contains("the byte at position 2"));
    }
}
