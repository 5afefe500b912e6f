//! JSON as editors keep it: with comments, and with commas behind the last element.

use pif_domain::json::Scanner;

/// The text as JSON: blanks stand where comments and such commas were, so that places stay.
pub(super) fn without(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    blank_comments(&mut bytes);
    blank_commas(&mut bytes);
    // Whole characters were replaced only: a comment ends with a line break or with ASCII.
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

fn blank_comments(bytes: &mut [u8]) {
    let mut scanner = Scanner::default();
    let mut at = 0;
    while let Some(rest) = bytes.get_mut(at..).filter(|rest| !rest.is_empty()) {
        let length = if scanner.is_in_text() { None } else { comment(rest) };
        if let Some(length) = length {
            let comment = rest.iter_mut().take(length);
            comment.filter(|byte| !matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
            at += length;
        } else {
            rest.first().into_iter().for_each(|byte| scanner.step(*byte));
            at += 1;
        }
    }
}

/// The length of the comment at the start.
fn comment(rest: &[u8]) -> Option<usize> {
    if rest.starts_with(b"//") {
        return Some(rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()));
    }
    let inner = rest.strip_prefix(b"/*")?;
    let end = inner.windows(2).position(|it| it == b"*/");
    Some(end.map_or(rest.len(), |end| end + 4))
}

fn blank_commas(bytes: &mut [u8]) {
    let mut scanner = Scanner::default();
    // The last comma, and the last byte that is no blank.
    let (mut comma, mut last) = (None, b',');
    for at in 0..bytes.len() {
        let Some(byte) = bytes.get(at).copied() else { return };
        let was_in_text = scanner.is_in_text();
        scanner.step(byte);
        match byte {
            _ if was_in_text => {}
            // A comma is the last one of something only if something stands before it.
            b',' => comma = (!matches!(last, b'{' | b'[' | b',' | b':')).then_some(at),
            b']' | b'}' => {
                if let Some(comma) = comma.take().and_then(|it| bytes.get_mut(it)) {
                    *comma = b' ';
                }
            }
            byte if byte.is_ascii_whitespace() => continue,
            _ => comma = None,
        }
        last = byte;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_last_commas_become_blanks() {
        for (text, clean) in [
            ("{// é\n\"a\": 1,}", "{     \n\"a\": 1 }"),
            ("{\"a\": /* , */ [1, 2, ], }", "{\"a\":         [1, 2  ]  }"),
            ("{\"a\": \"// no, /* no */ ,}\"}", "{\"a\": \"// no, /* no */ ,}\"}"),
            ("[1 /* open", "[1        "),
            ("[,]{,}[1,,]", "[,]{,}[1,,]"),
            ("[\"\\\",]\"]", "[\"\\\",]\"]"),
        ] {
            assert_eq!(without(text), clean, "{text}");
        }
    }
}
