//! Takes secrets out of texts, however they are spelled: as they are, escaped as in JSON or in a
//! program, in an address, in base64, or in part.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// A part of a secret of several lines is hidden from so many characters on.
const LEAST_PART: usize = 13;

/// A text within a text may be escaped so often: JSON in JSON in a log line.
const MOST_LAYERS: usize = 3;

/// What is looked for, with the name that takes its place.
#[derive(Clone, Default)]
pub(super) struct Spellings {
    /// The longest first: one secret may be a part of another.
    plain: Vec<(String, String)>,
    /// Parts of texts in base64.
    coded: Vec<(String, String)>,
}

impl Spellings {
    /// The spellings of secrets, by their names.
    pub(super) fn of<'a>(secrets: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let mut all = Self::default();
        for (name, secret) in secrets {
            let lines = secret.lines().map(str::trim);
            let parts = lines.filter(|it| it.chars().count() >= LEAST_PART && *it != secret);
            let texts = [secret].into_iter().chain(parts).filter(|it| !it.is_empty());
            for text in texts {
                all.plain.push((text.to_owned(), name.to_owned()));
                let coded = (0..3).map(|before| (coded(text, before), name.to_owned()));
                all.coded.extend(coded.filter(|(text, _)| text.len() >= 6));
            }
        }
        for list in [&mut all.plain, &mut all.coded] {
            list.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
        }
        all
    }

    /// A text with the names of secrets where their texts were; None: there are none.
    pub(super) fn redact(&self, text: &str) -> Option<String> {
        let mut found = Vec::new();
        self.find_coded(text, &mut found);
        let mut layer = Unescaped::plain(text);
        for _ in 0..=MOST_LAYERS {
            self.find(&layer, &mut found);
            match layer.decoded() {
                Some(next) => layer = next,
                None => break,
            }
        }
        if found.is_empty() {
            return None;
        }
        // Of places that overlap the first one counts, of those the longest.
        found.sort_by_key(|(start, end, _)| (*start, std::cmp::Reverse(*end)));
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for (start, end, name) in found {
            if start >= at {
                out.push_str(text.get(at..start).unwrap_or_default());
                out.extend(["[", name, "]"]);
            }
            at = at.max(end);
        }
        out.push_str(text.get(at..).unwrap_or_default());
        Some(out)
    }

    fn find<'a>(&'a self, layer: &Unescaped<'_>, found: &mut Vec<(usize, usize, &'a str)>) {
        for (secret, name) in &self.plain {
            for (start, _) in layer.text().match_indices(secret.as_str()) {
                found.push((layer.place(start), layer.place(start + secret.len()), name));
            }
        }
    }

    /// Hides all of a text in base64 that holds a secret.
    fn find_coded<'a>(&'a self, text: &str, found: &mut Vec<(usize, usize, &'a str)>) {
        let is_coded = |c: char| c.is_ascii_alphanumeric() || "+/-_=".contains(c);
        // Both alphabets are compared as the usual one.
        let usual = if text.contains(['-', '_']) {
            text.replace('-', "+").replace('_', "/")
        } else {
            String::new()
        };
        let usual = if usual.is_empty() { text } else { &usual };
        for (coded, name) in &self.coded {
            for (start, _) in usual.match_indices(coded.as_str()) {
                let end = start + coded.len();
                let before = text.get(..start).unwrap_or_default();
                let after = text.get(end..).unwrap_or_default();
                let start = before.trim_end_matches(is_coded).len();
                let end = end + after.len() - after.trim_start_matches(is_coded).len();
                found.push((start, end, name));
            }
        }
    }
}

/// The digits of base64 that a text has for sure where so many bytes stand before it.
fn coded(text: &str, before: usize) -> String {
    let bytes: Vec<u8> = [&[0].repeat(before), text.as_bytes()].concat();
    let digits = STANDARD.encode(&bytes);
    let first = (before * 8).div_ceil(6);
    let last = bytes.len() * 8 / 6;
    digits.get(first..last).unwrap_or_default().to_owned()
}

/// A text as it is after escapes were read, and where each of its characters comes from.
enum Unescaped<'a> {
    Plain(&'a str),
    /// For each byte, and for the end, the place in the text that it was written as.
    Decoded(String, Vec<usize>),
}

impl<'a> Unescaped<'a> {
    fn plain(text: &'a str) -> Self {
        Self::Plain(text)
    }

    fn text(&self) -> &str {
        match self {
            Self::Plain(text) => text,
            Self::Decoded(text, _) => text,
        }
    }

    fn place(&self, at: usize) -> usize {
        match self {
            Self::Plain(_) => at,
            Self::Decoded(_, places) => places.get(at).copied().unwrap_or(at),
        }
    }

    /// The text after its escapes are read once; None: there are none.
    fn decoded(&self) -> Option<Unescaped<'static>> {
        let text = self.text();
        if !text.contains(['\\', '%']) {
            return None;
        }
        let mut bytes = Vec::with_capacity(text.len());
        let mut places = Vec::new();
        let mut at = 0;
        while let Some(byte) = text.as_bytes().get(at) {
            let rest = text.as_bytes().get(at..).unwrap_or_default();
            let (read, taken) = match byte {
                b'\\' => escape(rest),
                b'%' => percent(rest),
                _ => None,
            }
            .unwrap_or_else(|| (vec![*byte], 1));
            places.extend(read.iter().map(|_| self.place(at)));
            bytes.extend(read);
            at += taken;
        }
        places.push(self.place(text.len()));
        // Whatever is no text any more is no secret either.
        let decoded = String::from_utf8(bytes).ok()?;
        (decoded != text).then_some(Unescaped::Decoded(decoded, places))
    }
}

/// What an escape of JSON, or of a program, stands for, and its length.
fn escape(rest: &[u8]) -> Option<(Vec<u8>, usize)> {
    let (unit, taken) = match rest.get(1)? {
        b'u' => unit(rest.get(2..)?)?,
        b'n' => return Some((vec![b'\n'], 2)),
        b'r' => return Some((vec![b'\r'], 2)),
        b't' => return Some((vec![b'\t'], 2)),
        other @ (b'"' | b'\\' | b'/' | b'\'') => return Some((vec![*other], 2)),
        _ => return None,
    };
    let mut taken = taken + 2;
    let mut code = unit;
    if (0xd800..0xdc00).contains(&unit) && rest.get(taken..taken + 2)? == b"\\u" {
        let (low, more) = self::unit(rest.get(taken + 2..)?)?;
        code = 0x10000 + ((unit - 0xd800) << 10) + low.checked_sub(0xdc00)?;
        taken += more + 2;
    }
    let c = char::from_u32(code)?;
    Some((c.to_string().into_bytes(), taken))
}

/// Four digits, or any number of them in braces.
fn unit(rest: &[u8]) -> Option<(u32, usize)> {
    let (digits, taken) = match rest.first()? {
        b'{' => {
            let end = rest.iter().position(|byte| *byte == b'}')?;
            (rest.get(1..end)?, end + 1)
        }
        _ => (rest.get(..4)?, 4),
    };
    Some((u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?, taken))
}

fn percent(rest: &[u8]) -> Option<(Vec<u8>, usize)> {
    let digits = std::str::from_utf8(rest.get(1..3)?).ok()?;
    Some((vec![u8::from_str_radix(digits, 16).ok()?], 3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redact(secret: &str, text: &str) -> String {
        let spellings = Spellings::of([("S", secret)].into_iter());
        spellings.redact(text).unwrap_or_else(|| text.to_owned())
    }

    #[test]
    fn every_spelling_is_found() {
        let secret = "sk-live-abc/def+ghi==";
        for (text, expected) in [
            ("is sk-live-abc/def+ghi== ok", "is [S] ok"),
            (r#"x {"t":"sk-live-abc\/def+ghi=="}"#, r#"x {"t":"[S]"}"#),
            (r#"{"t":"\u0073k-live-abc\/def+ghi=="}"#, r#"{"t":"[S]"}"#),
            (r#"\"t\":\"sk-live-abc\\\/def+ghi==\""#, r#"\"t\":\"[S]\""#),
            ("?k=sk-live-abc%2Fdef%2Bghi%3D%3D&x", "?k=[S]&x"),
            ("?k=sk-live-abc%2fdef%2bghi%3d%3d", "?k=[S]"),
            ("nothing of 12%, or \\q", "nothing of 12%, or \\q"),
        ] {
            assert_eq!(redact(secret, text), expected, "{text}");
        }
        for before in ["", "u:", "me:", "you:"] {
            let coded = STANDARD.encode(format!("{before}{secret} and more"));
            assert_eq!(redact(secret, &format!("Basic {coded}, x")), "Basic [S], x");
            let coded = coded.replace('+', "-").replace('/', "_");
            assert_eq!(redact(secret, &coded), "[S]");
        }
        assert_eq!(redact("gr\u{fc}ezi-\"x\"", r#"a gr\u00fcezi-\"x\" b"#), "a [S] b");
        assert_eq!(redact("8675309123", "token 8675309123"), "token [S]");
    }

    #[test]
    fn lines_of_a_secret_are_secrets_where_they_are_long() {
        let secret = "-----BEGIN-----\nMIIBOgIBAAJBAKj\nshort\n";
        assert_eq!(redact(secret, "x MIIBOgIBAAJBAKj y short"), "x [S] y short");
    }
}
