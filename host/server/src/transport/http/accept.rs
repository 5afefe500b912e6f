//! The types of replies that a client accepts, as the header `Accept` says it (RFC 9110, 12.5.1).

use http::{HeaderMap, HeaderValue, header};

/// What rmcp looks for in the header.
const BOTH: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

/// Writes the header of a client that accepts what the server sends in the way that rmcp reads it:
/// it knows no ranges of types.
pub(super) fn plain(headers: &mut HeaderMap) {
    if accepts(headers, "application", "json") && accepts(headers, "text", "event-stream") {
        headers.insert(header::ACCEPT, BOTH);
    } else if accepts(headers, "text", "event-stream") {
        headers.insert(header::ACCEPT, HeaderValue::from_static("text/event-stream"));
    }
}

/// Whether a client accepts a type. The range that fits it best decides. A client that says nothing
/// accepts everything.
fn accepts(headers: &HeaderMap, kind: &str, subtype: &str) -> bool {
    if !headers.contains_key(header::ACCEPT) {
        return true;
    }
    let values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let mut best = None;
    for range in values.flat_map(|value| value.split(',')) {
        let mut parts = range.split(';').map(str::trim);
        let Some((first, second)) = parts.next().and_then(|range| range.split_once('/')) else {
            continue;
        };
        let fit = match (first, second) {
            ("*", "*") => 0,
            (first, "*") if first.eq_ignore_ascii_case(kind) => 1,
            (first, second)
                if first.eq_ignore_ascii_case(kind) && second.eq_ignore_ascii_case(subtype) =>
            {
                2
            }
            _ => continue,
        };
        let is_wanted = !parts.any(is_zero);
        // Of two ranges that fit alike, one that accepts is enough.
        best = best.max(Some((fit, is_wanted)));
    }
    best.is_some_and(|(_, is_wanted)| is_wanted)
}

/// Whether a parameter is the weight zero. A weight that is malformed counts for nothing.
fn is_zero(parameter: &str) -> bool {
    let Some((name, weight)) = parameter.split_once('=') else { return false };
    name.trim().eq_ignore_ascii_case("q") && weight.trim().parse() == Ok(0.0_f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plained(values: &[&'static str]) -> String {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::ACCEPT, HeaderValue::from_static(value));
        }
        plain(&mut headers);
        let all: Vec<&str> =
            headers.get_all(header::ACCEPT).iter().filter_map(|it| it.to_str().ok()).collect();
        all.join(" | ")
    }

    #[test]
    fn ranges_of_types_are_understood() {
        for accepted in [
            &[][..],
            &["*/*"],
            &["application/*", "text/*"],
            &["text/*, application/*"],
            &["application/json, text/event-stream"],
            &["Application/JSON;charset=utf-8 , TEXT/event-stream; q=0.1"],
            &["text/html, */*;q=0.1"],
            &["text/event-stream", "application/json"],
            &["text/html;q=0, */*"],
            &["*/*;q=high"],
        ] {
            assert_eq!(plained(accepted), BOTH.to_str().expect("text"), "{accepted:?}");
        }
        for (refused, kept) in [
            (&["application/json"][..], "application/json"),
            (&["text/html"], "text/html"),
            (&["*/*;q=0"], "*/*;q=0"),
            (&["*/*, text/event-stream;q=0"], "*/*, text/event-stream;q=0"),
            (&["application/*"], "application/*"),
            (&["*"], "*"),
        ] {
            assert_eq!(plained(refused), kept);
        }
        for listening in [&["text/event-stream"][..], &["text/*"], &["application/json;q=0, */*"]] {
            assert_eq!(plained(listening), "text/event-stream", "{listening:?}");
        }
    }
}
