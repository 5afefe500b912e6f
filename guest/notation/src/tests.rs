//! Programs in the notation, and the terms that they mean.

use crate as notation;
use pif_language::print;
use pif_language::term::{Origin, Terms};

/// The canonical text of a program's term, or its fault.
fn read(text: &str) -> Result<String, String> {
    let mut terms = Terms::default();
    match notation::parse(&mut terms, text, Origin::Code, &["data", "f", "g"]) {
        Ok(parsed) => Ok(print::term(&terms, parsed.root)),
        Err(fault) => Err(format!("{fault} {:?}", fault.place)),
    }
}

#[test]
fn programs_mean_terms() {
    let cases: Vec<[String; 2]> = CASES
        .lines()
        .filter_map(|line| line.split_once(" ==> "))
        .map(|(text, term)| [text.trim().replace("\\n", "\n"), term.trim().to_owned()])
        .collect();
    assert!(cases.len() > 80);
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|[text, term]| {
            let mut terms = Terms::default();
            let wanted = pif_language::parse::parse(
                &mut terms,
                term,
                Origin::Code,
                pif_language::parse::Reading::Code,
            );
            let wanted =
                wanted.map(|it| print::term(&terms, it.root)).map_err(|fault| fault.to_string());
            let found = read(text);
            (found != wanted).then(|| format!("{text}\n  is  {found:?}\n  not {wanted:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The notation of a program that a text means.
fn printed(text: &str) -> String {
    let mut terms = Terms::default();
    let parsed = notation::parse(&mut terms, text, Origin::Code, &["data", "f"]);
    let parsed = parsed.unwrap_or_else(|fault| panic!("{fault}"));
    notation::print(&terms, parsed.root)
}

/// Programs are printed in the lines in which they stand here.
#[test]
fn programs_are_laid_out_in_lines() {
    let wanted = include_str!("lines.txt").trim();
    let found: Vec<String> = wanted.split("\n\n").map(printed).collect();
    assert!(found.join("\n\n") == wanted, "printed are\n{}", found.join("\n\n"));
}

/// Each likely mistake has a hint, and the spelling that it gives is read.
#[test]
fn hints_lead_to_what_reads() {
    use pif_core::json::{Tape, Token};
    let text = include_str!("../../../tests/mistakes.json");
    let mut tape = Tape::default();
    let root = tape.parse(text).expect("JSON");
    let member = |at, key| match tape.member(at, key).map(|at| tape.token(at)) {
        Some(Token::Text(span)) => tape.str(span).to_owned(),
        other => panic!("{key}: {other:?}"),
    };
    let (mut count, mut wrong) = (0, Vec::new());
    for at in tape.items(root).filter_map(|case| tape.member(case, "notation")) {
        let (written, hint, right) = (member(at, "wrong"), member(at, "hint"), member(at, "right"));
        count += 1;
        let mut terms = Terms::default();
        match notation::parse(&mut terms, &written, Origin::Code, &["data", "f"]) {
            Ok(parsed) => wrong.push(format!("{written}: {}", print::term(&terms, parsed.root))),
            Err(fault) => {
                let is_placed = fault.place.is_some();
                let is_hinted =
                    fault.hint.as_ref().is_some_and(|it| it.to_string().contains(&hint));
                if !is_placed || !is_hinted {
                    wrong.push(format!("{written}: {fault} (not {hint})"));
                }
            }
        }
        if let Err(fault) = read(&right) {
            wrong.push(format!("{right}: {fault}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 80, "{count}");
}

/// Any text is read or refused, at once.
#[test]
fn no_text_is_too_odd() {
    const WORDS: [&str; 56] = [
        "(", ")", "[", "]", "{", "}", "`", "${", "=>", "x", "y", "1", "1.5", "\"a\"", "'b'", ",",
        ";", ":", "?", "??", "?.", ".", "...", "+", "-", "*", "/", "**", "!", "&&", "||", "==",
        "<", "|>", "const", "let", "return", "if", "else", "=", "map", "sum", "@", "json", "data",
        "Math", "\n", " ", "//", "/*", "*/", "(x)", "{x}", "[x]", "\\", "é",
    ];
    let mut seed = 7_u64;
    let mut next = |n: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap_or_default() % n
    };
    let mut read_well = 0;
    for _ in 0..60_000 {
        let count = 1 + next(14);
        let text: String = (0..count).map(|_| WORDS[next(WORDS.len())]).collect();
        read_well += usize::from(read(&text).is_ok());
    }
    for _ in 0..60_000 {
        let bytes: Vec<u8> =
            (0..next(24)).map(|_| u8::try_from(next(256)).unwrap_or_default()).collect();
        let _ = read(&String::from_utf8_lossy(&bytes));
    }
    assert!(read_well > 500, "{read_well}");
}

/// Nesting costs heap, not native stack.
#[test]
fn long_texts_are_read_and_printed() {
    let n = 100_000;
    let kinds: [(String, &str, String); 20] = [
        ("(".repeat(n), "1", ")".repeat(n)),
        ("[".repeat(n), "1", "]".repeat(n)),
        ("{a: ".repeat(n), "1", "}".repeat(n)),
        ("x => ".repeat(n), "x", String::new()),
        ("-".to_string(), "x", " - -x".repeat(n)),
        ("!".repeat(n), "true", String::new()),
        (String::new(), "1", " + 1".repeat(n)),
        (String::new(), "1", " ** 1".repeat(n)),
        (String::new(), "data", ".a".repeat(n)),
        (String::new(), "data", "?.a".repeat(n)),
        ("true ? 1 : ".repeat(n), "1", String::new()),
        ("f(".repeat(n), "1", ")".repeat(n)),
        ("const x = 1; ".repeat(n), "x", String::new()),
        ("`${".repeat(n), "1", "}`".repeat(n)),
        ("([a, b]) => ".repeat(n / 10), "a", String::new()),
        ("if (true) return 1; ".repeat(n), "2", String::new()),
        (String::new(), "data", ".sort()".repeat(n)),
        (String::new(), "data", ".a.map(f)[0]".repeat(n)),
        ("sum(".repeat(n), "data", ")".repeat(n)),
        ("data.map(x => ".repeat(n), "1", ")".repeat(n)),
    ];
    for (before, middle, behind) in kinds {
        let lines = printed(&format!("{before}{middle}{behind}"));
        assert!(!lines.is_empty());
    }
}

const CASES: &str = include_str!("cases.txt");
