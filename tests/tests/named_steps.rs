//! Steps of programs: a run that is given what its steps came to before has an equal value, spends equal
//! fuel and says the same, whatever of its steps it is given.

use anyhow::{Context, Result, bail, ensure};
use pif::Program;
use pif::limits::Limits;
use pif::machine::Machine;
use pif::request::{Answer, Left, Outcome, Passage, Step, Wait};

/// A program, and which of its steps, in the order in which they end, have a passage. Of a step that
/// fails there is none.
const PROGRAMS: &[(&str, &str)] = &[
    (r#"step("add", 1 + 2) * step("double", data * 2)"#, "yy"),
    (r#"[1, 2, 3].map(n => step("each", call("s.double", {n}).n + n)).sum()"#, "yyy"),
    (r#"step("outer", step("inner", range(0, 50).map(n => n * n).sum()) + 1) + 1"#, "yy"),
    (
        r#"step("record", {a: [1, 2.5, -0.0, 1e300], b: {c: null, d: true, e: "ü\u0000"}, f: 2 ** 200})"#,
        "y",
    ),
    (r#"const p = step("pair", pair(1, [2])); [fst(p), snd(p), typeof p]"#, "y"),
    (r#"step("float", 3.0).to_string() + step("integer", 3).to_string()"#, "yy"),
    (r#"const f = step("function", x => x + data); f(1) + step("plain", f(2))"#, "ny"),
    (r#"step("date", date_add("2026-01-31".date_parse(), {months: 1}))"#, "y"),
    (
        r#"step("tool", tool("square")(7)) + tool("square")(8) + step("again", tool("square")(9))"#,
        "yy",
    ),
    (
        r#"const f = tool("square"); step("tool", f(7)) + step("other", tool("sum_of_squares")([1, 2, 3])) + tool("square")(2)"#,
        "yy",
    ),
    (r#"step("constant", tool("seven")) + tool("seven")"#, "n"),
    (r#"step("traced", trace("inside", data)) + trace("outside", 1)"#, "y"),
    (r#"step("pattern", "a1b22".match(/[0-9]+/g).length) + "c333".match(/[0-9]+/g).length"#, "n"),
    (r#"[1, 0, 0].map(n => step("tried", try(fail_if_not(n), e => 0)))"#, "ynn"),
    (r#"try(step("fails", 1 / 0), e => e.code) + step("after", "x")"#, "fy"),
    (
        r#"try(step("outer", step("inner", 1) + fail("no")), e => e.value) + step("after", "x")"#,
        "yfy",
    ),
    (
        r#"retry({attempts: 3}, () => step("asks", call("s.flaky", {n: 1}).n)) + step("after", 1)"#,
        "ffyy",
    ),
    (r#"step("retries", retry({attempts: 3}, () => call("s.flaky", {n: 1}).n)) + 1"#, "y"),
    (r#"step("warns", 1 == "1" ? 1 : 2) + step("silent", 1)"#, "ny"),
    (r#"const loop = n => n == 0 ? 0 : step("down", n) + loop(n - 1); loop(200)"#, ""),
    (r#"step("long", range(0, 3000).map(n => n + ": line").join("\n")).length"#, "y"),
    (r#"step("code", quote(1 + 2)) |> eval"#, "n"),
];

const PRELUDE: &str = r#"const fail_if_not = n => n == 1 ? n : fail("none"); "#;

const TOOLS: &[(&str, &str)] = &[
    ("square", "x => x * x"),
    ("sum_of_squares", r#"xs => xs.map(x => tool("square")(x)).sum()"#),
    ("seven", "3 + 4"),
];

/// What a run came to.
#[derive(Debug, PartialEq, Eq)]
struct Ran {
    json: String,
    warnings: Vec<String>,
    trace: Vec<String>,
    fuel: u64,
}

/// A step that has ended: how many began before it, and how.
#[derive(Debug, Clone)]
struct Ended {
    begun: usize,
    left: Left,
}

/// The world of a run: a server, and what is known of steps by their numbers.
#[derive(Default)]
struct World<'a> {
    known: &'a [(usize, Passage)],
    flaky: u64,
    called: usize,
    begun: usize,
    open: Vec<usize>,
    ended: Vec<Ended>,
}

impl World<'_> {
    fn call(&mut self, tool: &str, args: &str) -> Outcome {
        self.called += 1;
        let n = args.trim_start_matches(r#"{"n":"#).trim_end_matches('}').to_owned();
        match tool {
            "s.flaky" if self.flaky < 2 => {
                self.flaky += 1;
                let (reason, message) = ("timeout".to_owned(), "late".to_owned());
                Outcome::Failed { reason, message, value: None }
            }
            _ => Outcome::Value(format!(r#"{{"n":{n}}}"#)),
        }
    }

    fn enter(&mut self) -> Answer {
        let number = self.begun;
        self.begun += 1;
        if let Some((_, passage)) = self.known.iter().find(|(known, _)| *known == number) {
            // What was asked in the step is not asked again.
            self.begun += usize::try_from(passage.steps).unwrap_or_default();
            return Answer::Passed(Box::new(passage.clone()));
        }
        self.open.push(number);
        Answer::None
    }
}

fn run(code: &str, world: &mut World<'_>, most: Option<u32>) -> Result<Ran> {
    let mut program = Program::term(format!("{PRELUDE}{code}")).with_data("5");
    for (name, source) in TOOLS {
        program = program.with_tool(*name, *source);
    }
    let mut machine =
        Machine::start(program, Limits::default()).map_err(|it| anyhow::anyhow!("{it:?}"))?;
    if let Some(most) = most {
        machine.tell_named_steps(most);
    }
    let mut answer = Answer::None;
    let done = loop {
        answer = match machine.resume(answer, 1_000) {
            Step::Done(done) => break done,
            Step::Perform(calls) => Answer::Outcomes(
                calls.calls.iter().map(|it| world.call(&it.tool, &it.args)).collect(),
            ),
            Step::Wait(Wait { millis, .. }) => Answer::Waited(millis),
            Step::Enter(_) => world.enter(),
            Step::Leave(left) => {
                let begun = world.open.pop().context("a step ends that has not begun")?;
                world.ended.push(Ended { begun, left });
                Answer::None
            }
            Step::Paused => Answer::None,
            Step::Lookup(_) => Answer::Source(None),
            step => bail!("{code}: {step:?}"),
        };
    };
    ensure!(world.open.is_empty(), "{code}: {:?}", world.open);
    let (json, warnings, trace) = (done.json, done.warnings, done.trace);
    Ok(Ran { json, warnings, trace, fuel: machine.usage().fuel })
}

#[test]
fn a_run_that_is_given_its_steps_is_equal() -> Result<()> {
    for (code, expected) in PROGRAMS {
        let mut world = World::default();
        let plain = run(code, &mut world, None)?;
        ensure!(world.begun == 0, "{code}: nobody wanted to know");
        let mut world = World::default();
        let told = run(code, &mut world, Some(1_000))?;
        ensure!(told == plain, "{code}: {told:?} is not {plain:?}");
        let ended = world.ended;
        let kinds = ended.iter().map(|it| match (it.left.is_failed, &it.left.passage) {
            (true, _) => 'f',
            (false, Some(_)) => 'y',
            (false, None) => 'n',
        });
        let kinds: String = kinds.collect();
        ensure!(expected.is_empty() || kinds == *expected, "{code}: {kinds}, {ended:?}");
        let known = ended.into_iter().filter_map(|it| Some((it.begun, it.left.passage?)));
        let known: Vec<(usize, Passage)> = known.collect();
        // All that is known, each of it alone, and all up to each of it.
        let alone = (0..known.len()).map(|at| known.get(at..=at).unwrap_or_default());
        let up_to = (0..known.len()).map(|at| known.get(..=at).unwrap_or_default());
        for known in alone.chain(up_to).take(60) {
            // Attempts that have failed are not made again, so the server is as it was.
            let mut world = World { known, ..World::default() };
            let resumed = run(code, &mut world, Some(1_000))?;
            ensure!(resumed == plain, "{code}: given {known:?}: {resumed:?} is not {plain:?}");
        }
        for most in [0, 1, 3] {
            let mut world = World::default();
            let told = run(code, &mut world, Some(most))?;
            ensure!(told == plain && world.begun <= most as usize, "{code}: {most}");
        }
    }
    Ok(())
}

/// A step that is given is not evaluated: it asks nobody, and takes no time.
#[test]
fn a_step_that_is_given_is_not_evaluated() -> Result<()> {
    let code = r#"step("long", range(0, 300000).reduce((a, n) => a + n, 0) + call("s.double", {n: 1}).n) + 1"#;
    let mut world = World::default();
    let plain = run(code, &mut world, Some(1_000))?;
    ensure!(world.called == 1);
    let passage = world.ended.pop().and_then(|it| it.left.passage).context("no passage")?;
    ensure!(passage.fuel > 300_000 && passage.calls == 1, "{passage:?}");
    let known = [(0, passage)];
    let mut world = World { known: &known, ..World::default() };
    let resumed = run(code, &mut world, Some(1_000))?;
    ensure!(resumed == plain && world.called == 0, "{resumed:?}");
    Ok(())
}
