//! Forms on random texts. The machine searches for patterns in its own way, the definitional
//! evaluator by the `regex` crate; JSON, CSV and parts of texts too are read in two ways. Both must
//! find the same for the same fuel.

use pif::request::Program;
use pif_tests::case::LIMITS;
use pif_tests::{definitional, native};
use serde_json::{Value, json};

/// xorshift64*; the same numbers everywhere.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let n = u64::try_from(n).unwrap_or(1);
        usize::try_from((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % n).unwrap_or(0)
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    fn pattern(&mut self, depth: u32) -> String {
        const ATOMS: &[&str] = &[
            "a",
            "b",
            "ß",
            "aß",
            "ab",
            ".",
            r"\w",
            r"\d",
            r"\s",
            r"\W",
            "[ab]",
            "[^a]",
            "[^aß\n]",
            r"[\w--a]",
            r"\pL",
            r"\p{Greek}",
            "",
            "",
            r"\b",
            r"\B",
            "^",
            "$",
            r"\A",
            r"\z",
            r"\b{start}",
            r"\b{end-half}",
            r"(?-u:\b)",
            r"(?-u:\w)",
            r"\x{df}",
            "_",
            " ",
            r"\n",
            r"(?-u:\B)",
            "[[:alpha:]]",
            r"[a-z&&[^b]]",
            "日",
        ];
        if depth == 0 || self.below(4) == 0 {
            return self.pick(ATOMS).to_owned();
        }
        let inner = self.pattern(depth - 1);
        match self.below(12) {
            0 => format!("({inner})"),
            1 => format!("(?:{inner})"),
            2 => format!("(?{}:{inner})", self.pick(&["i", "s", "m", "U", "R", "mR", "x", "is"])),
            3 | 4 => format!("{inner}|{}", self.pattern(depth - 1)),
            5 => format!("(?:{inner}|{})", self.pattern(depth - 1)),
            6..=8 => {
                const TIMES: &[&str] =
                    &["*", "+", "?", "*?", "+?", "??", "{2}", "{0,2}", "{2,}", "{1,3}?", "{0}"];
                format!("({inner}){}", self.pick(TIMES))
            }
            _ => format!("{inner}{}", self.pattern(depth - 1)),
        }
    }

    fn some(&mut self, from: &[&str], most: usize) -> String {
        (0..self.below(most + 1)).map(|_| self.pick(from)).collect()
    }

    fn around(&mut self, n: usize) -> i64 {
        let at = |n| i64::try_from(n).unwrap_or_default();
        at(self.below(2 * n + 1)) - at(n)
    }

    /// A JSON value.
    fn data(&mut self, depth: u32) -> Value {
        match self.below(if depth == 0 { 5 } else { 8 }) {
            0 => Value::Null,
            1 => json!(self.around(1000)),
            2 => json!(self.pick(&["", "a", "é\n\"", "\u{1}\\"])),
            3 => json!(true),
            4 => json!([]),
            5 | 6 => (0..self.below(4)).map(|_| self.data(depth - 1)).collect(),
            _ => {
                let keys = ["a", "b", "é", ""].into_iter().take(self.below(5));
                let members: Vec<_> = keys.map(|key| (key, self.data(depth - 1))).collect();
                members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
            }
        }
    }

    /// The text of a JSON value, with blanks.
    fn spelled(&mut self, data: &Value) -> String {
        if self.below(2) == 0 { data.to_string() } else { format!("{data:#}") }
    }

    fn text(&mut self) -> String {
        const PIECES: &[&str] = &[
            "a", "b", "ab", "ß", "ẞ", "A", "B", "_", " ", "\n", "\r\n", "7", "日", "α", "-", "\r",
        ];
        let length = if self.below(20) == 0 { 3000 } else { self.below(40) };
        (0..length).map(|_| self.pick(PIECES)).collect()
    }
}

fn agree(term: &Value) -> anyhow::Result<()> {
    let program = Program::term(term.to_string());
    let defined = definitional::on_large_stack(|| definitional::run(&program, &LIMITS))?;
    let run = native::run(&program, &LIMITS, u64::MAX);
    let defined_result = match defined.result {
        Ok(finished) => Ok(finished.json),
        Err(code) => Err(code.name().to_owned()),
    };
    let result = run.result.map(|value| value.json).map_err(|fault| fault.code);
    assert_eq!((result, run.fuel), (defined_result, defined.fuel), "{term}");
    Ok(())
}

/// How often, by default or as `ROUNDS` says.
fn rounds() -> usize {
    std::env::var("ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000)
}

#[test]
fn patterns_find_the_same() -> anyhow::Result<()> {
    let mut numbers = Numbers(0x5eed);
    for _ in 0..rounds() {
        let (pattern, text) = (numbers.pattern(4), numbers.text());
        agree(&json!({"matches": [text, pattern]}))?;
        agree(&json!({"find_all": [text, pattern]}))?;
        agree(&json!({"regex_replace": [text, pattern, "<$$$0>"]}))?;
        agree(&json!({"regex_replace": [text, format!("({pattern})|(a)"), "<$1$$${2}|$0>"]}))?;
    }
    Ok(())
}

#[test]
fn replacements_are_taken_apart_the_same() -> anyhow::Result<()> {
    const PIECES: &[&str] = &["$", "$$", "1", "{", "}", "n", "x", "_", "é", " ", "${n}", "$2"];
    let mut numbers = Numbers(0x5eed_0001);
    for _ in 0..rounds() {
        let to = numbers.some(PIECES, 8);
        agree(&json!({"regex_replace": ["aéb ab", "(?<n>a)(é)?b", to]}))?;
    }
    Ok(())
}

#[test]
fn tables_and_data_are_read_the_same() -> anyhow::Result<()> {
    const CSV: &[&str] = &[
        "a", ",", "\"", "\n", "\r\n", "b", "\"\"", "\"x\"", ",", "\n", "é", "\r", ";", "\u{feff}",
    ];
    const JSON: &[&str] = &[
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        "1",
        "-",
        "0",
        ".5",
        "e3",
        "\"a\"",
        "\"é\"",
        "\"",
        "\\n",
        " ",
        "true",
        "null",
        "[1,",
        "2]",
        "{\"k\":",
        "\"k\":1",
        "\\u00e9",
        "123456789012345678901234567890",
        "1e400",
    ];
    let mut numbers = Numbers(0x5eed_0002);
    for _ in 0..rounds() {
        agree(&json!({"csv_parse": numbers.some(CSV, 12)}))?;
        agree(&json!({"csv_parse": format!("a,b\n{}", numbers.some(CSV, 12))}))?;
        let options = json!({"record": {"delimiter": numbers.pick(CSV), "header": false}});
        agree(&json!({"csv_parse": [numbers.some(CSV, 12), options]}))?;
        let text = numbers.some(JSON, 9);
        for form in ["json_parse", "parse_int", "parse_float"] {
            agree(&json!({form: text}))?;
        }
        let data = numbers.data(4);
        let spelled = numbers.spelled(&data);
        agree(&json!({"json_text": {"json_parse": spelled}}))?;
    }
    Ok(())
}

#[test]
#[ignore = "long"]
fn dates_are_read_and_written_the_same() -> anyhow::Result<()> {
    const LETTERS: &[&str] = &[
        "%Y", "%m", "%d", "%H", "%M", "%S", "%f", "%z", "%F", "%T", "%j", "%a", "%A", "%b", "%B",
        "%e", "%y", "%I", "%p", "%u", "%U", "%G", "%V", "%s", "%%", " ", "-", ":", "T", "é", "%q",
    ];
    const DATES: &[&str] = &[
        "2024", "-", "02", "-", "29", "T", "t", " ", "23", ":", "59", ":", "60", ".", "9999999",
        "Z", "z", "+", "-", "0130", "01:30", "12", "PM", "Mon", "monday", "%", "0000", "9999",
    ];
    let mut numbers = Numbers(0x5eed_0004);
    for round in 0..rounds() {
        let second = numbers.around(1 << 30) * [1, 60, 236][round % 3];
        #[expect(clippy::cast_precision_loss, reason = "any float will do")]
        let float = json!({"float": second as f64 / 7.0});
        let pattern = numbers.some(LETTERS, 9);
        for moment in [&json!(second), &float] {
            agree(&json!({"date_format": [moment, pattern]}))?;
            let steps = json!({"record": {"months": numbers.around(30), "seconds": 100 * numbers.around(1 << 30)}});
            agree(&json!({"date_add": [moment, steps]}))?;
            let written = json!({"date_format": [moment, format!("{pattern} %Y")]});
            agree(&json!({"date_parse": [written, format!("{pattern} %Y")]}))?;
            let iso =
                format!("%F{}%T.{}", numbers.pick(&["T", " ", "t"]), numbers.around(1 << 30).abs());
            agree(&json!({"date_parse": {"date_format": [moment, iso]}}))?;
            let text = json!({"date_format": [moment, numbers.some(LETTERS, 6)]});
            agree(&json!({"date_parse": [text, pattern]}))?;
        }
        agree(&json!({"date_parse": numbers.some(DATES, 14)}))?;
        agree(&json!({"date_parse": [numbers.some(DATES, 8), numbers.some(LETTERS, 6)]}))?;
    }
    Ok(())
}

#[test]
#[ignore = "long"]
fn parts_of_texts_are_the_same() -> anyhow::Result<()> {
    const PIECES: &[&str] =
        &["a", "b", "ab", "é", "日", "👍", "\n", "\r\n", "\r", " ", "\u{3000}", "Σ"];
    let mut numbers = Numbers(0x5eed_0003);
    for _ in 0..rounds() {
        let (text, part, other) =
            (numbers.some(PIECES, 30), numbers.some(PIECES, 2), numbers.some(PIECES, 2));
        for form in ["upper", "lower", "trim", "chars", "lines"] {
            agree(&json!({form: text}))?;
        }
        for form in ["split", "contains", "index_of", "starts_with", "ends_with"] {
            agree(&json!({form: [text, part]}))?;
        }
        agree(&json!({"replace": [text, part, other]}))?;
        agree(&json!({"join": [[text, part, other], other]}))?;
        let (from, to) = (numbers.around(30), numbers.around(30));
        agree(&json!({"slice": [text, from, to]}))?;
        agree(&json!({"slice": [{"chars": text}, from]}))?;
        agree(&json!({"repeat": [text, from]}))?;
        agree(&json!({"pad_left": [text, to, part]}))?;
        agree(&json!({"pad_right": [text, to, part]}))?;
    }
    Ok(())
}
