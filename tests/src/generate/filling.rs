//! Random programs that fill their memory: recursions and loops that keep lists, texts, records, pairs,
//! functions and numbers, with garbage between, one after another, on data or without.

use super::Random;
use super::text::{form, lambda, list, variable};
use pif::request::{Argument, Program};

/// About how many words a program makes at most: more take too long.
const WORDS: usize = 3_000_000;

/// A program that fills its memory.
#[derive(Clone, Debug)]
pub struct Filling {
    /// The program.
    pub program: Program,
    /// Bytes that one of its operations makes at most, about.
    pub largest: u64,
}

/// The program that comes of these choices.
#[must_use]
pub fn filling(mut random: Random) -> Filling {
    let scale = random.pick(&[20_000, 60_000, 60_000, 200_000, 200_000, 600_000]);
    let count = 1 + random.below(4);
    let mut tools = Vec::new();
    let mut parts = Vec::new();
    let mut largest = 0;
    let mut values = Vec::new();
    for number in 0..count {
        let name = format!("v{number}");
        let words = random.pick(&[scale / count, scale / 2, scale]);
        let phase = Phase::random(&mut random, words);
        largest = largest.max(phase.size).max(phase.garbage);
        let value = phase.term(&mut random, &format!("fill{number}"), &mut tools);
        // What is kept stays to the end, anything else only until it has been looked at.
        let kept = random.chance(40);
        let value = if kept { value } else { digest(&value) };
        parts.push(format!(r#"["{name}",{value}]"#));
        values.push(variable(&name));
    }
    let (argument, given) = argument(&mut random, scale);
    if given {
        values.push(form("last", variable("d")));
    }
    let body = format!(r#"{{"let":{},"in":{}}}"#, list(&parts), list(&values));
    let code = lambda(r#""d""#, &body);
    let program = Program { argument, tools, ..Program::term(code) };
    Filling { program, largest: 8 * 4 * u64::try_from(largest).unwrap_or_default() }
}

/// Something that makes values, and about as many words in all as it is told.
struct Phase {
    /// Levels of a recursion, or turns of a loop.
    turns: usize,
    /// Size of what is kept at each.
    size: usize,
    /// Size of what is forgotten at each.
    garbage: usize,
}

impl Phase {
    fn random(random: &mut Random, words: usize) -> Self {
        let size = random.pick(&[1, 3, 3, 10, 40, 200, 1000, 30_000]);
        let garbage = random.pick(&[0, 0, 3, 30, 200, 1000, 30_000]);
        let turns = (words / (size + 8)).min(WORDS / (4 * (size + garbage) + 40)).max(1);
        let turns = if random.chance(50) { turns } else { 1 + random.below(turns) };
        Self { turns, size, garbage }
    }

    /// A term that gives what has been kept; a recursion is a tool.
    fn term(&self, random: &mut Random, name: &str, tools: &mut Vec<(String, String)>) -> String {
        let piece = piece(random, self.size);
        let litter = match self.garbage {
            0 => "0".to_owned(),
            size => digest(&self::piece(random, size)),
        };
        let bound = |body: &str| format!(r#"{{"let":[["x",{piece}],["g",{litter}]],"in":{body}}}"#);
        if random.chance(30) {
            let (start, body) = turn(random);
            let names = format!(r#"{{"let":[["n",{}],["a",{}]],"in":{}}}"#, SND, FST, bound(&body));
            let range = form("range", list(&["0".to_owned(), self.turns.to_string()]));
            return form("fold", list(&[lambda(r#""p""#, &names), start, range]));
        }
        let (start, body) = level(random);
        let less = form("lte", list(&[variable("n"), "0".to_owned()]));
        let body = bound(&body);
        let body = format!(r#"{{"if":{{"cond":{less},"then":{start},"else":{body}}}}}"#);
        tools.push((name.to_owned(), lambda(r#""n""#, &body)));
        format!(r#"{{"app":{{"func":{{"tool":"{name}"}},"arg":{}}}}}"#, self.turns)
    }
}

const FST: &str = r#"{"fst":{"var":"p"}}"#;
const SND: &str = r#"{"snd":{"var":"p"}}"#;
const AGAIN: &str = r#"{"app":{"func":{"self":true},"arg":{"sub":[{"var":"n"},1]}}}"#;

/// How a level of a recursion comes to its value from `x`, the garbage's digest `g` and the level below.
fn level(random: &mut Random) -> (String, String) {
    let pick = random.below(7);
    let (start, body) = joined(pick, AGAIN);
    let later = r#"{"let":[["s",AGAIN]],"in":{"cons":{"head":{"var":"x"},"tail":{"var":"s"}}}}"#;
    match pick {
        0 => ("[]".to_owned(), later.replace("AGAIN", AGAIN)),
        1 => {
            let mine = form("add", list(&[digest(&variable("x")), variable("g")]));
            ("0".to_owned(), form("add", list(&[AGAIN.to_owned(), mine])))
        }
        _ => (start, body),
    }
}

/// How a turn of a loop comes to the next accumulator from the one before, `a`.
fn turn(random: &mut Random) -> (String, String) {
    let pick = random.below(7);
    joined(pick, &variable("a"))
}

fn joined(pick: usize, rest: &str) -> (String, String) {
    let (x, rest) = (variable("x"), rest.to_owned());
    let text = form("to_string", variable("g"));
    match pick {
        0 | 1 | 6 => ("[]".into(), form("cons", format!(r#"{{"head":{x},"tail":{rest}}}"#))),
        2 => ("null".into(), form("pair", list(&[x, rest]))),
        3 => ("\"\"".into(), form("concat", list(&[text, rest]))),
        4 => ("{\"record\":{}}".into(), form("record", format!(r#"{{"k":{x},"next":{rest}}}"#))),
        // Only the last ones of them stay.
        _ => {
            let cons = form("cons", format!(r#"{{"head":{x},"tail":{rest}}}"#));
            ("[]".into(), form("take", list(&[cons, "50".to_owned()])))
        }
    }
}

/// A value of about so many words; `n` is bound.
fn piece(random: &mut Random, size: usize) -> String {
    let range = |n: usize| {
        let to = form("add", list(&[variable("n"), n.to_string()]));
        form("range", list(&[variable("n"), to]))
    };
    let map = |body: String, n: usize| form("map", list(&[lambda(r#""y""#, &body), range(n)]));
    let y = variable("y");
    match random.below(18) {
        0 | 1 => range(size),
        2 => map(form("to_string", y), size / 5 + 1),
        3 => map(form("to_float", y), size / 4 + 1),
        4 => map(form("pair", list(&[y.clone(), y])), size / 4 + 1),
        5 => map(list(&[y.clone(), y]), size / 6 + 1),
        6 => map(form("record", format!(r#"{{"a":{y},"b":[{y}]}}"#)), size / 9 + 1),
        7 => map(lambda(r#""z""#, &form("add", list(&[y, variable("z")]))), size / 4 + 1),
        8 => form("repeat", list(&["\"abcdefgh\"".to_owned(), size.to_string()])),
        9 => form("pow", list(&["7".to_owned(), (22 * size).min(20_000).to_string()])),
        10 => {
            let text = form("repeat", list(&["\"a,\"".to_owned(), (size / 10 + 1).to_string()]));
            form("split", list(&[text, "\",\"".to_owned()]))
        }
        11 => {
            let half = form("lt", list(&[y, "1000".to_owned()]));
            form("filter", list(&[lambda(r#""y""#, &half), range(size)]))
        }
        12 => form("reverse", list(&[range(size)])),
        13 => form("sort", list(&[range(size)])),
        16 => {
            let lambdas = r#"["f",{"lam":"z","body":[{"var":"g"},{"var":"y"}]}],["g",{"lam":"z","body":[{"var":"f"},{"var":"y"}]}]"#;
            let functions = format!(r#"{{"letrec":[{lambdas}],"in":{{"var":"f"}}}}"#);
            map(functions, size / 8 + 1)
        }
        14 => form("append", list(&[range(size / 2 + 1), range(size / 2 + 1)])),
        15 => form("json_parse", form("json_text", list(&[range(size)]))),
        _ => {
            let cons = r#"{"cons":{"head":{"snd":{"var":"q"}},"tail":{"fst":{"var":"q"}}}}"#;
            form("fold", list(&[lambda(r#""q""#, cons), "[]".to_owned(), range(size / 2 + 1)]))
        }
    }
}

/// A number that is made of a value of any type.
fn digest(value: &str) -> String {
    form("length", form("type_of", value))
}

/// Data of one shape, or none.
fn argument(random: &mut Random, scale: usize) -> (Argument, bool) {
    if random.chance(50) {
        return (Argument::None, false);
    }
    let shape = random.below(7);
    let most = random.pick(&[10, scale / 20, scale / 4]);
    let count = 1 + random.below(most.max(1));
    let unit = random.pick(&[1, 7, 99, 12_345, 10_000_000, 123_456_789, 4_000_000_000_000]);
    let item = |i: usize| match shape {
        0 | 1 => (i * unit).to_string(),
        2 => format!("\"{}\"", i * unit),
        3 => format!("{}.5", i * unit),
        4 => format!("[{i},{}]", i * unit),
        5 => format!(r#"{{"id":{i},"name":"n{}"}}"#, i * unit),
        _ => {
            if i.is_multiple_of(50) {
                format!("\"{i}\"")
            } else {
                (i * unit).to_string()
            }
        }
    };
    let gap = random.pick(&[",", ", "]);
    let items: Vec<String> = (0..count).map(item).collect();
    (Argument::Data(format!("[{}]", items.join(gap))), true)
}
