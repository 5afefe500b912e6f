//! Random programs for comparing evaluators: mostly well typed, so that most of them get somewhere,
//! with wrong types, unbound names and tight limits now and then. The same seed gives the same
//! program everywhere.

mod calendar;
mod control;
mod figures;
mod filling;
pub mod javascript;
mod lists;
mod records;
mod script;
mod table;
mod term;
mod text;
mod world;

use pif::limits::Limits;
use pif::request::{Argument, Program, Source};
use term::{Generator, Kind};

pub use filling::{Filling, filling};

/// A program and its limits.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The program.
    pub program: Program,
    /// Its limits; fuel and depth are often small.
    pub limits: Limits,
}

/// Where random choices come from.
#[derive(Debug)]
pub enum Random {
    /// A small generator of random numbers (splitmix64) in this state.
    Seed(u64),
    /// A byte or two for each choice, the next one last; zeros when there are no more. Whoever
    /// changes a byte changes one choice.
    Bytes(Vec<u8>),
}

impl Random {
    /// Numbers that depend on nothing but the seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self::Seed(seed)
    }

    /// Choices that are spelt out.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self::Bytes(bytes.iter().rev().copied().collect())
    }

    /// The next number, of 64 bits or of as many bytes as it takes to choose among `n`.
    fn number(&mut self, n: u64) -> u64 {
        match self {
            Self::Seed(state) => {
                *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                z ^ (z >> 31)
            }
            Self::Bytes(bytes) => {
                let mut next = || u64::from(bytes.pop().unwrap_or_default());
                if n <= 256 { next() } else { next() << 8 | next() }
            }
        }
    }

    /// A number below `n`, which is not zero.
    pub fn below(&mut self, n: usize) -> usize {
        let n = u64::try_from(n).unwrap_or(u64::MAX);
        usize::try_from(self.number(n) % n).unwrap_or_default()
    }

    /// True so many times in a hundred.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of the items, of which there is at least one.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

/// Tools that every program knows, beside a random one called `random`.
const TOOLS: &[(&str, &str)] = &[
    (
        "fact",
        r#"{"lam":"n","body":{"if":{"cond":{"lte":[{"var":"n"},1]},"then":1,"else":{"mul":[{"var":"n"},{"app":{"func":{"self":true},"arg":{"sub":[{"var":"n"},1]}}}]}}}}"#,
    ),
    (
        "count",
        r#"{"lam":"n","body":{"if":{"cond":{"lte":[{"var":"n"},0]},"then":"done","else":{"app":{"func":{"self":null},"arg":{"sub":[{"var":"n"},1]}}}}}}"#,
    ),
    (
        "even",
        r#"{"lam":"n","body":{"if":{"cond":{"lte":[{"var":"n"},0]},"then":true,"else":{"app":{"func":{"eval":{"code_of":"odd"}},"arg":{"sub":[{"var":"n"},1]}}}}}}"#,
    ),
    (
        "odd",
        r#"{"lam":"n","body":{"if":{"cond":{"lte":[{"var":"n"},0]},"then":false,"else":{"app":{"func":{"tool":"even"},"arg":{"sub":[{"var":"n"},1]}}}}}}"#,
    ),
    (
        "nest",
        r#"{"lam":"n","body":{"if":{"cond":{"lte":[{"var":"n"},0]},"then":{"var":"n"},"else":{"eval":{"quote":{"app":{"func":{"tool":"nest"},"arg":{"sub":[{"var":"n"},1]}}}}}}}}"#,
    ),
    (
        "step",
        r#"{"lam":"n","body":{"if":{"cond":{"eq":[{"var":"n"},0]},"then":[{"var":"n"}],"else":{"continue":{"input":{"sub":[{"var":"n"},1]}}}}}}"#,
    ),
    ("source", r#"{"lam":["x","y"],"body":{"pair":[{"code_of":"self"},{"var":"x"}]}}"#),
    ("make", r#"{"let":{"k":10},"in":{"lam":["a","b"],"body":{"add":[{"var":"k"},{"var":"a"}]}}}"#),
    ("answer", r#"{"add":[40,{"length":"ab"}]}"#),
    ("loop", r#"{"pair":[1,{"self":true}]}"#),
    ("free", r#"{"lam":"q","body":{"add":[{"var":"x"},1]}}"#),
    ("broken", r#"{"lam":"x","body":{"nothing":1}}"#),
];

/// Names of the tools, and one that is no tool.
const TOOL_NAMES: &[&str] = &[
    "fact", "count", "even", "odd", "nest", "step", "source", "make", "answer", "loop", "free",
    "broken", "random", "missing", "self",
];

/// The program that belongs to a seed.
#[must_use]
pub fn sample(seed: u64) -> Sample {
    sample_of(Random::new(seed))
}

/// The program that comes of these choices.
#[must_use]
pub fn sample_of(mut random: Random) -> Sample {
    let most = random.pick(&[10, 24, 24, 60]);
    let size = 2 + random.below(most);
    let wild = random.pick(&[0, 0, 0, 2, 5, 15]);
    let mut generator = Generator::new(random, wild);
    let mut tools: Vec<_> =
        TOOLS.iter().map(|(name, text)| ((*name).into(), (*text).into())).collect();
    tools.push(("random".to_owned(), generator.tool(size / 2)));
    let limits = limits(&mut generator.random);
    let step = if generator.random.chance(10) { 3 } else { 0 };
    let (code, context) = code(&mut generator, size);
    let argument = argument(&mut generator, size / 2);
    let program = Program {
        code,
        argument,
        context,
        bindings: Vec::new(),
        tools,
        step,
        debug: false,
        keep: false,
    };
    Sample { program, limits }
}

fn limits(random: &mut Random) -> Limits {
    let fuel = if random.chance(20) { random.below(500) } else { 20_000 };
    let depth = if random.chance(20) { random.below(40) } else { 2000 };
    Limits {
        fuel: u64::try_from(fuel).unwrap_or_default(),
        depth: u32::try_from(depth).unwrap_or_default(),
        memory: 256 << 20,
        output: 1 << 20,
    }
}

/// What to run, and its context.
fn code(generator: &mut Generator, size: usize) -> (Source, Option<String>) {
    if generator.random.chance(12) {
        return (Source::Tool(generator.random.pick(TOOL_NAMES).to_owned()), None);
    }
    let context = generator.random.chance(15).then(|| generator.context());
    let kind = if generator.random.chance(25) { Kind::Function } else { generator.kind() };
    (Source::Term(generator.term(kind, size)), context)
}

fn argument(generator: &mut Generator, size: usize) -> Argument {
    generator.leave();
    match generator.random.below(10) {
        0..4 => Argument::None,
        4..7 => Argument::Data(generator.data(3)),
        7 => {
            let text = generator.data(2);
            Argument::Input(format!("[{text},{}]", serde_json::Value::from(text.clone())))
        }
        8 => Argument::Input(generator.random.below(150).to_string()),
        _ => {
            let kind = generator.kind();
            Argument::Input(generator.term(kind, size))
        }
    }
}
