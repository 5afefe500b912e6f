//! Smaller values and smaller terms, one after another: for whoever looks for the least one that still
//! fails.
//!
//! A candidate is a cut of the text, so numbers and texts keep their spelling. Each has an index, and those
//! that take away the most come first. Nothing here runs a program.

mod cuts;
mod spans;
mod term;
mod value;

pub use term::{part, term};
pub use value::value;

#[cfg(test)]
mod tests {
    use super::cuts::{count_parts, parts};
    use super::{part, term, value};

    /// The least value with which a predicate holds, as a host finds it.
    fn least(
        first: &str,
        next: impl Fn(&str, u32) -> Option<String>,
        fails: impl Fn(&str) -> bool,
    ) -> String {
        let (mut now, mut index) = (first.to_owned(), 0);
        while let Some(smaller) = next(&now, index) {
            if fails(&smaller) {
                (now, index) = (smaller, 0);
            } else {
                index += 1;
            }
        }
        now
    }

    #[test]
    fn parts_are_counted_as_they_are_told() {
        for (count, least) in [(0, 1), (1, 1), (2, 1), (7, 1), (1000, 1), (1000, 60), (16, 1)] {
            let mut told = 0;
            parts(count, least, |_| {
                told += 1;
                None::<()>
            });
            assert_eq!(told, count_parts(count, least), "{count} {least}");
        }
    }

    #[test]
    fn a_value_becomes_the_least_one() {
        let elements: Vec<String> =
            (0..1000).map(|n| format!("{{\"n\": {n}, \"name\": \"pen {n}\"}}")).collect();
        let all = format!("[{}]", elements.join(", "));
        let found = least(&all, value, |it| it.contains("\"pen 7"));
        assert_eq!(found, "[{\"name\": \"pen 7\"}]");
        assert_eq!(least("[1, [2, 300], -4.5]", value, |it| it.contains('[')), "[]");
        assert_eq!(
            least("{\"a\": 12, \"b\": true}", value, |it| it.contains("\"a\"")),
            "{\"a\": 0}"
        );
        assert_eq!(
            least("\"a\\u00e9\\n\\ud83d\\ude00b\"", value, |it| it.contains("\\n")),
            "\"\\n\""
        );
        assert_eq!(least("900", value, |it| it.parse::<i64>().is_ok_and(|n| n > 250)), "251");
        assert_eq!(value("not json", 0), None);
        assert_eq!(value("", 0), None);
    }

    #[test]
    fn a_deep_value_needs_no_stack() {
        let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(value(&deep, 0).as_deref(), Some("[]"));
        assert_eq!(value(&deep, 1).as_deref(), Some("[[]]"));
    }

    #[test]
    fn a_term_becomes_the_least_one_around_a_place() {
        let code = concat!(
            r#"{"let":[["x",{"add":[1,2]}]],"in":{"add":["#,
            r#"{"mul":[3,{"var":"x"}]},{"sub":["a",{"add":[4,5]}]}]}}"#
        );
        let at = ("/in/add/1/sub/0", true);
        assert_eq!(part(code, at).as_deref(), Some(r#"{"sub":["a",{"add":[4,5]}]}"#));
        assert_eq!(part(code, ("/in/add/1/sub/0", false)).as_deref(), Some("\"a\""));
        let smaller: Vec<String> = (0..).map_while(|index| term(code, at, index)).collect();
        assert_eq!(smaller.first().map(String::as_str), Some(r#"{"sub":["a",{"add":[4,5]}]}"#));
        assert!(
            smaller
                .iter()
                .all(|it| it.len() < code.len() && it.contains(r#"{"sub":["a",{"add":[4,5]}]}"#))
        );
        assert!(smaller.iter().any(|it| it.contains(r#"{"mul":[3,0]}"#)), "{smaller:?}");
        assert_eq!(term("[", ("", false), 0), None);
        assert_eq!(term("1", ("/x/y", true), 0), None);
        assert_eq!(part("1", ("", true)).as_deref(), Some("1"));
    }
}
