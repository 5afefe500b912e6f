//! Programs that are large, deep, or walk in circles: the analyst ends, on a small stack.

use crate::shape::Shape;
use crate::{Analysis, Request, analyze, text};

/// Bytes of the stack in the component.
const STACK: usize = 128 << 10;

/// Analyzes on a stack as small as that of the component.
fn told(code: &str) -> Analysis {
    let work = || analyze(&Request { code, ..Request::default() }).expect("a program");
    let build = std::thread::Builder::new().stack_size(STACK);
    std::thread::scope(|scope| build.spawn_scoped(scope, work).expect("a thread").join())
        .expect("an end")
}

fn nested(before: &str, inner: &str, after: &str) -> String {
    const LEVELS: usize = 10_000;
    format!("{}{inner}{}", before.repeat(LEVELS), after.repeat(LEVELS))
}

#[test]
fn deep_programs_end() {
    assert_eq!(told(&nested("{\"not\":", "true", "}")).shape, Shape::Boolean);
    assert!(!told(&nested("[", "1", "]")).gave_up);
    assert!(!told(&nested("{\"lam\":\"x\",\"body\":", "1", "}")).gave_up);
    assert!(!told(&nested("{\"record\":{\"a\":", "1", "}}")).gave_up);
    let ifs = nested("{\"if\":{\"cond\":{\"var\":\"data\"},\"then\":1,\"else\":", "2", "}}");
    assert_eq!(told(&ifs).output, Shape::Integer);
}

/// A line for each number from 1 on.
fn lines(count: u32, line: impl Fn(u32) -> String) -> String {
    let lines: Vec<String> = (1..count).map(line).collect();
    lines.concat()
}

#[test]
fn long_programs_end() {
    let sum = format!("data.a{}", " * 2".repeat(100_000));
    assert_eq!(told(&sum).shape.to_string(), "(data: {a: number}) => number");
    let lets = lines(10_000, |i| format!("const x{i} = [x{}, x{0}];", i - 1));
    assert!(!told(&format!("const x0 = 1; {lets} x9999")).gave_up);
    let functions = lines(2000, |i| format!("const f{i} = x => f{}(f{0}(x));", i - 1));
    let told = told(&format!("const f0 = x => x * 2; {functions} f1999(1)"));
    assert_eq!(told.output, Shape::Any);
}

#[test]
fn circles_end() {
    assert_eq!(told("(x => x(x))(x => x(x))").output, Shape::Never);
    let fixed = "(f => (x => f(v => x(x)(v)))(x => f(v => x(x)(v))))\
        (again => n => n < 2 ? 1 : n * again(n - 1))";
    assert_eq!(told(fixed).shape.to_string(), "(n: number) => number");
    told("const a = n => n < 1 ? [n] : b([n]); const b = n => n < 1 ? n : a({n}); a(data)");
    told("x => self(y => x(y))");
    told("f => f(f)");
}

#[test]
fn a_type_is_read_as_it_is_written() {
    for written in [
        "<T, U>(xs: T[], f: (x: T) => U) => U[]",
        "{a: integer, \"b c\"?: (float | null)[], d: [\"x\", \"y\\\"\"]} | text",
        "Map<text, Set<Date>>[]",
        "<T>(o: T) => T & {[key: text]: any}",
        "((x: any) => RegExp)[] | code | continuation | never[]",
    ] {
        let read = text::read(written).expect("a type");
        assert_eq!(read.to_string(), written);
        assert!(read.is_same(&read));
    }
    assert!(text::read("{a: }").is_err());
    assert!(text::read(&"[".repeat(1000)).is_err());
}

#[test]
fn a_schema_says_what_the_type_says() {
    let schema = |written: &str| text::read(written).expect("a type").schema();
    assert_eq!(
        schema("{id: integer, tags?: text[], kind: \"a\" | null}"),
        "{\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"integer\"},\"tags\":{\"type\":\"array\",\
         \"items\":{\"type\":\"string\"}},\"kind\":{\"anyOf\":[{\"const\":\"a\"},{\"type\":\"null\"}]}},\
         \"required\":[\"id\",\"kind\"]}"
    );
    assert_eq!(
        schema("[text, number, any]"),
        "{\"type\":\"array\",\"prefixItems\":[{\"type\":\"string\"},{\"type\":\"number\"},{}],\
         \"items\":false}"
    );
}

#[test]
fn a_failure_has_a_hint() {
    let told = told("x => add(x, \"a\")");
    let [failure] = &told.fails[..] else { panic!("{:?}", told.fails) };
    let hint = failure.hint.as_ref().expect("a hint").to_string();
    assert!(hint.contains("concat"), "{hint}");
    assert!(failure.always);
    assert_eq!(failure.at, "/body/add/1");
}

#[test]
fn a_record_of_members_has_a_normal_form() {
    let code = "o => ({total: o.x})";
    let told = crate::normal::normal(&Request { code, ..Request::default() }).expect("a program");
    assert_eq!(told.notation, "x1 => ({total: x1.x})");
}

/// Programs that nest as deep as programs may: no function of the analyst recurses with them.
#[test]
fn deep_programs_take_little_stack() {
    const LEVELS: usize = 20_000;
    const STACK: usize = 256 << 10;
    let nested = |open: &str, inner: &str, close: &str| {
        [open.repeat(LEVELS), inner.to_owned(), close.repeat(LEVELS)].concat()
    };
    let programs = [
        nested("{\"not\":", "{\"var\":\"data\"}", "}"),
        nested("[", "{\"var\":\"data\"}", "]"),
        nested("{\"add\":[1,", "{\"var\":\"data\"}", "]}"),
        nested("{\"lam\":\"x\",\"body\":", "{\"var\":\"x\"}", "}"),
        nested(
            "{\"let\":[[\"x\",{\"get\":[{\"var\":\"data\"},0]}]],\"in\":",
            "{\"var\":\"x\"}",
            "}",
        ),
        nested("{\"if\":{\"cond\":true,\"else\":1,\"then\":", "{\"var\":\"data\"}", "}}"),
    ];
    let run = move || {
        for code in &programs {
            let request = Request { code, ..Request::default() };
            let normal = crate::normal::normal(&request).map(|it| it.json);
            let cost = crate::cost::cost(&request).map(|it| it.kind);
            assert!(normal.is_ok() && cost.is_ok(), "{normal:?} {cost:?}");
        }
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(run).expect("a thread");
    thread.join().expect("an end");
}

/// The blocks of the page of a kind: the lines of each, and what stands behind `// ` below them.
pub(crate) fn blocks(kind: &str) -> Vec<(Vec<&'static str>, &'static str)> {
    let page: &'static str = include_str!("../README.md");
    let fence = format!("```{kind}\n");
    let mut found = Vec::new();
    for (start, _) in page.match_indices(&fence) {
        let block = page[start + fence.len()..].split("```").next().expect("a block");
        let lines: Vec<&str> = block.lines().collect();
        let (told, code) = lines.split_last().expect("a block with lines");
        found.push((code.to_vec(), told.strip_prefix("// ").expect("what is told")));
    }
    assert!(!found.is_empty(), "{kind}");
    found
}
