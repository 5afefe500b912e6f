//! The caller's place in a trace, as W3C Trace Context writes it.

/// The length of version 00.
const LENGTH: usize = 55;

/// The most characters of a `tracestate`.
const MOST_STATE: usize = 512;

/// The span that a call is a child of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parent {
    /// 32 hexadecimal digits.
    pub trace: String,
    /// 16 hexadecimal digits.
    pub span: String,
    /// Whether the caller records its own span.
    pub is_sampled: bool,
    /// What others add to the trace.
    pub state: Option<String>,
}

impl Parent {
    /// Parses `traceparent`. Returns `None` for anything that is not well formed.
    #[must_use]
    pub fn parse(text: &str, state: Option<&str>) -> Option<Self> {
        let (head, rest) = text.split_at_checked(LENGTH)?;
        let mut parts = head.split('-');
        let mut part = |length: usize| {
            let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
            parts.next().filter(|part| part.len() == length && part.bytes().all(is_digit))
        };
        let version = part(2)?;
        let trace = part(32)?;
        let span = part(16)?;
        let flags = part(2)?;
        let is_zero = |digits: &str| digits.bytes().all(|byte| byte == b'0');
        let is_known = match version {
            "ff" => false,
            "00" => rest.is_empty(),
            // A later version may add fields.
            _ => rest.is_empty() || rest.starts_with('-'),
        };
        if !is_known || is_zero(trace) || is_zero(span) || parts.next().is_some() {
            return None;
        }
        let is_sampled = u8::from_str_radix(flags, 16).ok()? & 1 == 1;
        let is_state = |text: &&str| {
            let length = 1..=MOST_STATE;
            length.contains(&text.len()) && text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
        };
        let state = state.filter(is_state).map(str::to_owned);
        Some(Self { trace: trace.to_owned(), span: span.to_owned(), is_sampled, state })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn a_parent_is_read() {
        let parent = Parent::parse(GOOD, Some("vendor=1")).expect("a parent");
        assert_eq!(parent.trace, "4bf92f3577b34da6a3ce929d0e0e4736");
        assert_eq!((parent.span.as_str(), parent.is_sampled), ("00f067aa0ba902b7", true));
        assert_eq!(parent.state.as_deref(), Some("vendor=1"));
        let later = GOOD.replacen("00", "01", 1);
        assert!(Parent::parse(&later, None).is_some());
        assert!(Parent::parse(&format!("{later}-more"), None).is_some());
        let unsampled = GOOD.replace("-01", "-00");
        assert!(Parent::parse(&unsampled, None).is_some_and(|it| !it.is_sampled));
        assert!(Parent::parse(GOOD, Some("a\nb")).is_some_and(|it| it.state.is_none()));
    }

    #[test]
    fn what_is_malformed_is_no_parent() {
        for text in [
            "",
            "00",
            &GOOD.to_uppercase(),
            &format!("{GOOD}-"),
            &format!(" {GOOD}"),
            &GOOD.replace('-', "_"),
            &GOOD.replacen("00", "ff", 1),
            &GOOD.replacen("00", "0g", 1),
            &format!("{}more", GOOD.replacen("00", "01", 1)),
            &GOOD.replace("4bf92f3577b34da6a3ce929d0e0e4736", &"0".repeat(32)),
            &GOOD.replace("00f067aa0ba902b7", &"0".repeat(16)),
            &GOOD.replace("00f067aa0ba902b7", "00f067aa0ba902b"),
            &GOOD.replace("4bf9", "4b-9"),
            &"é".repeat(40),
        ] {
            assert_eq!(Parent::parse(text, None), None, "{text}");
        }
    }
}
