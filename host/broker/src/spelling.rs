//! Names of tools as programs write them. A tool may be called `get-sum`, which is no name of
//! JavaScript: a program writes `everything["get-sum"](…)`, or `everything.get_sum(…)`.

use serde_json::Value;

/// The tool that is meant: the one of this name, or the only one that has it where `_` stands for
/// every other character.
pub fn meant<'a>(names: impl Iterator<Item = &'a str>, wanted: &str) -> Option<&'a str> {
    let (mut alike, mut count) = (None, 0);
    for name in names {
        if name == wanted {
            return Some(name);
        }
        if name.len() >= wanted.len() && name.chars().map(plain).eq(wanted.chars()) {
            alike = Some(name);
            count += 1;
        }
    }
    alike.filter(|_| count == 1)
}

fn plain(c: char) -> char {
    if c.is_alphanumeric() || matches!(c, '.' | '$') { c } else { '_' }
}

/// A call in the notation of the tool `SERVER.TOOL`, with these arguments.
pub(super) fn call(name: &str, arguments: &str) -> String {
    let is_name = |text: &str| {
        text.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$')
            && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
    };
    match name.split_once('.') {
        Some((server, tool)) if is_name(server) && is_name(tool) => {
            format!("{server}.{tool}({arguments})")
        }
        Some((server, tool)) if is_name(server) => {
            format!("{server}[{}]({arguments})", Value::from(tool))
        }
        _ => format!("call({}, {arguments})", Value::from(name)),
    }
}

#[cfg(test)]
mod tests {
    use super::{call, meant};

    #[test]
    fn a_name_stands_for_one_tool_alone() {
        let names = ["get-sum", "get_sum", "a-b", "a.b-c", "x-y", "x/y"];
        for (wanted, found) in [
            ("get_sum", Some("get_sum")),
            ("get-sum", Some("get-sum")),
            ("a_b", Some("a-b")),
            ("a.b_c", Some("a.b-c")),
            ("x_y", None),
            ("a", None),
        ] {
            assert_eq!(meant(names.into_iter(), wanted), found, "{wanted}");
        }
    }

    #[test]
    fn calls_are_spelt_as_they_are_read() {
        for (name, written) in [
            ("github.search", "github.search({})"),
            ("everything.get-sum", "everything[\"get-sum\"]({})"),
            ("my-server.x", "call(\"my-server.x\", {})"),
        ] {
            assert_eq!(call(name, "{}"), written);
        }
    }
}
