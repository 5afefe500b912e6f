//! Random patterns on random texts: the machine searches in its own way, the definitional
//! evaluator by the `regex` crate, and both must find the same for the same fuel.

use pif_guest::request::Program;
use pif_tests::case::LIMITS;
use pif_tests::{definitional, native};
use serde_json::json;

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

    fn text(&mut self) -> String {
        const PIECES: &[&str] = &[
            "a", "b", "ab", "ß", "ẞ", "A", "B", "_", " ", "\n", "\r\n", "7", "日", "α", "-", "\r",
        ];
        let length = if self.below(20) == 0 { 3000 } else { self.below(40) };
        (0..length).map(|_| self.pick(PIECES)).collect()
    }
}

fn agree(term: &serde_json::Value) {
    let program = Program::term(&term.to_string());
    let defined = definitional::on_large_stack(|| definitional::run(&program, &LIMITS));
    let defined = defined.expect("the definitional evaluator runs");
    let run = native::run(&program, &LIMITS, u64::MAX);
    let defined_result = match defined.result {
        Ok(finished) => Ok(finished.json),
        Err(code) => Err(code.name().to_owned()),
    };
    let result = run.result.map(|value| value.json).map_err(|fault| fault.code);
    assert_eq!((result, run.fuel), (defined_result, defined.fuel), "{term}");
}

#[test]
fn random_patterns_find_the_same() {
    let mut numbers = Numbers(0x5eed);
    let rounds = std::env::var("ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(2_000);
    for _ in 0..rounds {
        let (pattern, text) = (numbers.pattern(4), numbers.text());
        agree(&json!({"matches": [text, pattern]}));
        agree(&json!({"find_all": [text, pattern]}));
        agree(&json!({"regex_replace": [text, pattern, "<$1$$${2}|$0>"]}));
    }
}
