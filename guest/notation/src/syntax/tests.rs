//! Programs, and what they are read as.

use crate::ast::Span;
use crate::syntax::parser::MOST_FAULTS;
use crate::syntax::{dump, parse};
use std::fmt::Write as _;

fn read(text: &str) -> String {
    match parse(text) {
        Ok(ast) => dump::program(&ast),
        Err(faults) => faults.iter().fold(String::new(), |mut out, fault| {
            let place = fault.place.as_ref().map_or((0, 0), |place| (place.line, place.column));
            let _ = write!(out, "! {}:{} {fault} ", place.0, place.1);
            out
        }),
    }
}

/// The lines `text ==> syntax tree` of a file; a `⏎` is the end of a line.
fn check(lines: &str) {
    let mut wrong = Vec::new();
    for (text, wanted) in lines.lines().filter_map(|line| line.split_once(" ==> ")) {
        let found = read(&text.replace('⏎', "\n")).replace('\n', "⏎");
        if found.trim() != wanted.trim() {
            wrong.push(format!("{text}\n  is  {found}\n  not {wanted}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// JavaScript is read as a parser of JavaScript reads it.
#[test]
fn javascript_is_read() {
    check(include_str!("javascript.txt"));
}

/// Syntax that the notation adds to JavaScript.
#[test]
fn the_notation_is_read() {
    check(include_str!("notation.txt"));
}

#[test]
fn faults_are_told() {
    check(include_str!("faults.txt"));
}

/// Nesting costs heap, not native stack, and time in proportion to the length.
#[test]
fn long_and_deep_programs_are_read() {
    let small = std::thread::Builder::new().stack_size(128 << 10).spawn(read_long_and_deep);
    assert!(small.unwrap().join().is_ok());
}

fn read_long_and_deep() {
    let n = 100_000;
    let kinds: [(String, &str, String); 42] = [
        ("(".repeat(n), "1", ")".repeat(n)),
        ("[".repeat(n), "1", "]".repeat(n)),
        ("({a: ".repeat(n), "1", "})".repeat(n)),
        ("x => ".repeat(n), "x", String::new()),
        ("x => { return ".repeat(n), "x", "}".repeat(n)),
        ("function f() {".repeat(n), "x", "}".repeat(n)),
        ("(function () { return ".repeat(n), "x", "})()".repeat(n)),
        ("{".repeat(n), "x", "}".repeat(n)),
        ("{ x;".repeat(n), "x", "}".repeat(n)),
        ("if (a) {".repeat(n), "x", "}".repeat(n)),
        ("if (a) ".repeat(n), "x", String::new()),
        ("while (a) ".repeat(n), "x", String::new()),
        ("for (const x of xs) ".repeat(n), "x", String::new()),
        ("for (let i = 0; i < n; i++) {".repeat(n), "x", "}".repeat(n)),
        ("do {".repeat(n), "x", "} while (a);".repeat(n)),
        ("switch (a) { case 1: ".repeat(n), "x", "}".repeat(n)),
        ("try {".repeat(n), "x", "} catch (e) {}".repeat(n)),
        ("try {} catch {".repeat(n), "x", "}".repeat(n)),
        ("a: {".repeat(n), "x", "}".repeat(n)),
        ("-".to_owned(), "x", " - -x".repeat(n)),
        ("!".repeat(n), "true", String::new()),
        ("await ".repeat(n), "x", String::new()),
        (String::new(), "1", " + 1".repeat(n)),
        (String::new(), "1", " ** 1".repeat(n)),
        (String::new(), "1", " |> f".repeat(n)),
        (String::new(), "data", ".a".repeat(n)),
        (String::new(), "data", "?.a".repeat(n)),
        (String::new(), "data", "()[0]".repeat(n)),
        ("a ? ".repeat(n), "1", " : 2".repeat(n)),
        ("a ? 1 : ".repeat(n), "1", String::new()),
        ("a = ".repeat(n), "1", String::new()),
        ("f(".repeat(n), "1", ")".repeat(n)),
        ("x[".repeat(n), "1", "]".repeat(n)),
        ("const x = 1; ".repeat(n), "x", String::new()),
        ("const x = ".to_owned(), "1", ", y = 1".repeat(n)),
        ("`${".repeat(n), "1", "}`".repeat(n)),
        (format!("const {}", "[".repeat(n)), "a", format!("{} = x", "]".repeat(n))),
        (format!("({}", "[".repeat(n)), "a", format!("{} = x)", "]".repeat(n))),
        (format!("const {}", "{a: ".repeat(n)), "a", format!("{} = x", "}".repeat(n))),
        ("if (a) b; else ".repeat(n), "c", String::new()),
        ("if(a, b, ".repeat(n), "c", ")".repeat(n)),
        ("if (a) b else ".repeat(n), "c", String::new()),
    ];
    for (before, middle, behind) in kinds {
        let text = format!("{before}{middle}{behind}");
        let read = parse(&text);
        let shown = text.chars().take(30).collect::<String>();
        assert!(read.is_ok(), "{shown}: {:?}", read.err());
    }
}

/// Everything knows its place.
#[test]
fn spans_are_of_the_text() {
    let text = "const {a, b: [c]} = (x + f(y)) * 2;\nfunction g(p) { return {k: p.q} }";
    let ast = parse(text).unwrap();
    let part = |(start, end): Span| text.get(start as usize..end as usize).unwrap_or("?");
    let exprs: Vec<&str> = ast.exprs.iter().map(|it| part(it.span)).collect();
    let stmts: Vec<&str> = ast.stmts.iter().map(|it| part(it.span)).collect();
    let patterns: Vec<&str> = ast.patterns.iter().map(|it| part(it.span)).collect();
    let functions: Vec<&str> = ast.functions.iter().map(|it| part(it.span)).collect();
    let wanted = ["x", "f", "y", "f(y)", "x + f(y)", "2", "(x + f(y)) * 2", "p", "p.q", "{k: p.q}"];
    assert_eq!(exprs, wanted);
    assert_eq!(patterns, ["a", "c", "[c]", "{a, b: [c]}", "p"]);
    assert_eq!(functions, ["function g(p) { return {k: p.q} }"]);
    assert_eq!(
        stmts,
        [
            "const {a, b: [c]} = (x + f(y)) * 2",
            "return {k: p.q}",
            "function g(p) { return {k: p.q} }"
        ]
    );
}

/// Any text is read, or refused with places.
#[test]
fn no_text_is_too_odd() {
    const WORDS: [&str; 87] = [
        "(", ")", "[", "]", "{", "}", "`", "${", "=>", "x", "y", "1", "1.5", "\"a\"", "'b'", ",",
        ";", ":", "?", "??", "?.", ".", "...", "+", "-", "*", "/", "**", "!", "&&", "||", "==",
        "<", "|>", "const", "let", "return", "if", "else", "=", "map", "sum", "@", "json", "data",
        "Math", "\n", " ", "//", "/*", "*/", "(x)", "{x}", "[x]", "\\", "é", "for", "of", "in",
        "while", "do", "switch", "case", "default", "break", "continue", "try", "catch", "finally",
        "throw", "function", "async", "await", "new", "typeof", "delete", "void", "++", "--", "+=",
        "label:", "class", "this", "yield", "get", "```", "export",
    ];
    let mut seed = 7_u64;
    let mut next = |n: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap_or_default() % n
    };
    let mut read_well = 0;
    let mut check = |text: &str| match parse(text) {
        Ok(ast) => {
            read_well += 1;
            assert!(dump::program(&ast).len() < 10_000);
        }
        Err(faults) => {
            assert!((1..=MOST_FAULTS).contains(&faults.len()), "{text}");
            assert!(faults.iter().all(|it| it.place.is_some() && it.hint.is_some()), "{text}");
        }
    };
    for round in 0..100_000 {
        let between = if round % 2 == 0 { "" } else { " " };
        let words: Vec<&str> = (0..=next(14)).map(|_| WORDS[next(WORDS.len())]).collect();
        check(&words.join(between));
    }
    for _ in 0..60_000 {
        let bytes: Vec<u8> =
            (0..next(24)).map(|_| u8::try_from(next(256)).unwrap_or_default()).collect();
        check(&String::from_utf8_lossy(&bytes));
    }
    assert!(read_well > 500, "{read_well}");
}

/// Many faults cost no more time than many statements.
#[test]
fn faults_are_told_up_to_a_number() {
    let n = 100_000;
    for text in ["x = 5 5;\n".repeat(n), "{ 5 5\n".repeat(n) + &"}".repeat(n)] {
        assert!(parse(&text).is_err_and(|faults| faults.len() <= MOST_FAULTS));
    }
    assert!(parse(&format!("{};{}", "(".repeat(n), ")".repeat(n))).is_err());
    let nested = "f(() => {\n".repeat(n) + &"} 5 5)".repeat(n);
    assert!(parse(&nested).is_err_and(|faults| faults.len() == MOST_FAULTS));
    let one = read("const a = 1 2;\nconst b = a;\nfunction f() {\n  return = 1;\n}\nlet c = )");
    assert!(one.contains("closes nothing"), "{one}");
    let two = read("const a = 1 2;\nconst b = a;\nfunction f() {\n  return = 1;\n}\nlet c = a;");
    assert!(two.contains("1:13") && two.contains("4:10"), "{two}");
}
