//! Programs that nobody would write, and some that many write.

use super::{Completion, Question, complete};
use std::time::Instant;

fn at(text: &str) -> Completion {
    complete(&Question { text, cursor: text.len(), ..Question::default() })
}

#[test]
fn hostile_texts_have_an_answer_soon() {
    let deep = "(".repeat(10_000);
    let texts = [
        format!("{deep}x."),
        format!("{}o.", "[".repeat(10_000)),
        format!("{}o.", "{a: ".repeat(10_000)),
        format!("{}o.", "x => { const y = ".repeat(10_000)),
        format!("{}o.", "if (x) { ".repeat(10_000)),
        format!("{}o.", "`${".repeat(10_000)),
        format!("{}o.", "a ? ".repeat(10_000)),
        format!("{}.", "o.filter(o => ".repeat(10_000)),
        format!("data{}.", ".a".repeat(500_000)),
        format!("const x = {{a: 1}};\n{}x.", "x.a + 1;\n".repeat(100_000)),
        format!("hole{} + data.", "_".repeat(1 << 20)),
        (0..100_000).map(|n| format!("hole{} + ", "_".repeat(n % 40))).collect::<String>() + "x.",
        "\"".repeat(1 << 20),
        ".".repeat(1 << 20),
        "@".repeat(1 << 20),
        "\u{0}\u{fffd}€ø.".repeat(50_000),
        "/*".repeat(100_000),
    ];
    for text in texts {
        let start = Instant::now();
        at(&text);
        let took = start.elapsed();
        let begin: String = text.chars().take(12).collect();
        assert!(took.as_secs() < 20, "{begin}: {took:?}");
    }
}

#[test]
fn a_cursor_anywhere_has_an_answer() {
    let text = "const f = (o) => `${o.é} // ${/a[/]b/.test(o.x) ? \"q.\" : 'r'}`; /* c. */ f({x: 1.5}) ?? @t.u";
    for cursor in 0..=text.len() + 2 {
        let told = complete(&Question { text, cursor, ..Question::default() });
        assert!(told.start <= cursor);
        assert_eq!(told, complete(&Question { text, cursor, ..Question::default() }));
    }
}
