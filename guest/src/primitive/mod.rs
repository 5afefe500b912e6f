//! What forms do with values once their operands have been evaluated.

pub(crate) mod arithmetic;
pub(crate) mod canonical;
pub(crate) mod case;
pub(crate) mod codec;
pub(crate) mod comparison;
pub(crate) mod csv;
pub(crate) mod date;
pub(crate) mod elementary;
pub(crate) mod format;
pub(crate) mod grouping;
pub(crate) mod keys;
pub(crate) mod lexical;
pub(crate) mod literal;
pub(crate) mod meta;
pub(crate) mod pattern;
pub(crate) mod power;
mod radix;
pub(crate) mod rational;
pub(crate) mod record;
mod remainder;
pub(crate) mod scan;
pub(crate) mod sorting;
pub(crate) mod statistics;
mod tree;
pub(crate) mod weight;

use crate::fault::{Code, Fault};
use crate::heap::{Full, Heap};
use crate::quote::shorten;
use crate::value::{
    CLOSURE, CONS, KIND_BIG, KIND_CONTINUATION, KIND_FLOAT, KIND_RECORD, KIND_TEXT, NIL, OBJECT,
    PAIR, PARTIAL, ROPE, UNIT, Word, is_integer, tag,
};

/// Not one operand is of the wrong type, but they do not go together.
pub(crate) const TOGETHER: usize = usize::MAX;

/// What went wrong in an operation, before it is known where that stands in the source.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// An operand of the wrong type, or `TOGETHER`.
    Type {
        operand: usize,
        wanted: &'static str,
        found: &'static str,
    },
    /// An operand is a list, but not all its elements are what they should be.
    Element {
        operand: usize,
        wanted: &'static str,
        found: &'static str,
    },
    /// A function was needed.
    NotAFunction {
        found: &'static str,
    },
    /// The value of a function that was given too many arguments was needed as a function; the
    /// operation that called it.
    NotAFunctionAfter {
        call: usize,
        found: &'static str,
    },
    Unbound(u32),
    DivideByZero,
    NotFinite,
    EmptyList,
    /// A list with nothing but nulls in it, of which the form passes over each.
    OnlyNulls,
    /// An index, a count, a step, a unit that is beyond what the form takes.
    OutOfRange(String),
    /// This key is not in this record.
    MissingKey(String, Word),
    /// No test of a `cond` was true.
    NoMatch,
    /// A text is not what it should be.
    Unparsable(String),
    /// A pattern is no regular expression.
    Regex(String),
    /// The program says so; its value is kept where results go.
    Fail,
    /// Something is beyond a fixed bound of the language.
    TooLarge(&'static str),
    /// Something does not fit into the memory of the run.
    Full(&'static str),
    /// One more pending call does not fit into memory.
    NoRoomForCall,
    UnknownTool(String),
    OutsideTool,
    EvalDepth,
    CapabilityDenied(String),
    /// A fault of the form itself.
    Here(Box<Fault>),
    /// A fault that knows its place, from parsing a source.
    Elsewhere(Box<Fault>),
}

impl Trouble {
    /// A fault of the form itself, with what to write instead.
    pub(crate) fn with_hint(code: Code, message: String, hint: impl Into<String>) -> Self {
        Self::Here(Box::new(Fault::new(code, message).hint(hint)))
    }
}

/// The byte order mark, which Unicode does not count as white space.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';

/// The fault of a text that is not what it should be.
pub(crate) fn misread(text: &str, what: &str, hint: Option<&'static str>) -> Trouble {
    let (what, hint) = if text.starts_with(BYTE_ORDER_MARK) {
        let hint =
            r#"take it away with {"slice": [s, 1]}; `trim` keeps it, for it is no white space"#;
        ("begins with a byte order mark (U+FEFF)", Some(hint))
    } else if text.trim().len() < text.len() {
        (what, Some("take blanks away with `trim`"))
    } else {
        (what, hint)
    };
    let message = format!("`{}` {what}", shorten(text));
    match hint {
        Some(hint) => Trouble::with_hint(Code::Unparsable, message, hint),
        None => Trouble::Unparsable(message),
    }
}

/// The message of a fault for want of memory.
pub(crate) const FULL: &str = "the values of this run do not fit into its memory limit";

impl From<Full> for Trouble {
    fn from(_: Full) -> Self {
        Self::Full(FULL)
    }
}

/// The names of all types, in order.
pub(crate) const TYPES: [&str; 11] = [
    "boolean",
    "continuation",
    "float",
    "function",
    "integer",
    "list",
    "null",
    "pair",
    "quoted",
    "record",
    "string",
];

/// The type of a value, as `type_of` names it.
#[inline(never)]
pub(crate) fn type_name(heap: &Heap, v: Word) -> &'static str {
    if is_integer(v) {
        return "integer";
    }
    match tag(v) {
        CONS => "list",
        PAIR => "pair",
        CLOSURE | PARTIAL => "function",
        ROPE => "string",
        OBJECT => match heap.object_kind(v) {
            KIND_TEXT => "string",
            KIND_BIG => "integer",
            KIND_FLOAT => "float",
            KIND_RECORD => "record",
            KIND_CONTINUATION => "continuation",
            _ => "object",
        },
        _ => match v {
            NIL => "list",
            UNIT => "null",
            crate::value::TRUE | crate::value::FALSE => "boolean",
            _ => "quoted",
        },
    }
}

/// Units of work that a text is.
pub(crate) fn text_work(heap: &Heap, v: Word) -> u64 {
    heap.text_size(v).map_or(0, |(bytes, _)| bytes / comparison::TEXT_UNIT)
}
