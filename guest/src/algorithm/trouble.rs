//! Faults of operations, without a place in the source.

use crate::memory::heap::{Full, Heap};
use crate::memory::types::kind_of;
use crate::memory::word::Word;
use crate::request::Refusal;
use pif_core::fault::{Code, FailedCall, Fault};
use pif_core::hint::{Hint, Parts};
use pif_core::text::quote::shorten;
use pif_language::kinds::{Kinds, Wanted};

/// Stands for all operands: each type is right, but they do not go together.
pub(crate) const TOGETHER: usize = usize::MAX;

/// Bytes of a text that is no number in a message.
const NO_NUMBER_BYTES: usize = 200;

/// A fault of an operation, without a place in the source.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// An operand of the wrong type, or all of them (`TOGETHER`).
    Type {
        operand: usize,
        wanted: Wanted,
        found: Kinds,
    },
    /// A list operand with a wrong element.
    Element {
        operand: usize,
        wanted: Wanted,
        found: Kinds,
    },
    /// An applied value that is not a function.
    NotAFunction {
        found: Kinds,
    },
    /// The value of a function that got too many arguments is not a function. With the operation
    /// that called it.
    NotAFunctionAfter {
        call: usize,
        found: Kinds,
    },
    Unbound(u32),
    DivideByZero,
    NotFinite,
    /// A value that is not a number, where a form wants another; with the text that it came from.
    NotANumber(usize, String),
    EmptyList,
    /// A list of only nulls, in a form that skips nulls.
    OnlyNulls,
    /// An index, a count, a step or a unit beyond the form's range.
    OutOfRange(String),
    /// A record without this key.
    MissingKey(String, Word),
    /// No true test in a `cond`.
    NoMatch,
    /// A text that does not parse.
    Unparsable(String),
    /// An invalid regular expression.
    Regex(String),
    /// The program's own fault. Its value is in `failed`.
    Fail,
    /// A value is beyond a fixed bound of the language.
    TooLarge(&'static str),
    /// A value does not fit into the memory of the run.
    Full(&'static str),
    /// Memory has no room for another pending call.
    NoRoomForCall,
    UnknownTool(String),
    OutsideTool,
    EvalDepth,
    /// A call of another server has no value. With the message of others.
    Upstream(Box<FailedCall>, String),
    /// No call was sent.
    Refused(Box<Refusal>),
    /// A fault of the form itself.
    Here(Box<Fault>),
    /// A fault with a place, from parsing a source.
    Elsewhere(Box<Fault>),
}

impl Trouble {
    /// An operand has another type than it must have.
    pub(crate) fn of_type(heap: &Heap, operand: usize, v: Word, wanted: impl Into<Wanted>) -> Self {
        match Self::no_number(heap, operand, v) {
            Some(trouble) => trouble,
            None => Self::Type { operand, wanted: wanted.into(), found: kind_of(heap, v) },
        }
    }

    /// A value within an operand has another type than it must have.
    pub(crate) fn of_element(heap: &Heap, operand: usize, v: Word, wanted: Wanted) -> Self {
        match Self::no_number(heap, operand, v) {
            Some(trouble) => trouble,
            None => Self::Element { operand, wanted, found: kind_of(heap, v) },
        }
    }

    /// A value is not a number, so it is nothing that a form could want.
    fn no_number(heap: &Heap, operand: usize, v: Word) -> Option<Self> {
        let text = heap.as_no_number(v)?;
        Some(Self::NotANumber(operand, heap.prefix(text, NO_NUMBER_BYTES)))
    }

    /// Makes a fault of the form itself, with a hint.
    pub(crate) fn with_hint(code: Code, message: String, hint: impl Into<Hint>) -> Self {
        Self::Here(Box::new(Fault::new(code, message).hint(hint)))
    }
}

/// The byte order mark. Unicode does not count it as white space.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';

/// The fault of a text that does not parse.
pub(crate) fn misread(text: &str, what: &str, hint: Option<Parts>) -> Trouble {
    let (what, hint) = if text.starts_with(BYTE_ORDER_MARK) {
        let hint: Parts = &["remove it with ", r#"{"slice": [s, 1]}"#, "; `trim` keeps it"];
        ("begins with a byte order mark (U+FEFF)", Some(hint))
    } else if text.trim().len() < text.len() {
        (what, Some(&["remove blanks with `trim`"][..]))
    } else {
        (what, hint)
    };
    let message = format!("`{}` {what}", shorten(text));
    match hint {
        Some(hint) => Trouble::with_hint(Code::Unparsable, message, hint),
        None => Trouble::Unparsable(message),
    }
}

/// The message of a fault for lack of memory.
pub(crate) const FULL: &str = "the values of this run do not fit into its memory limit";

impl From<Full> for Trouble {
    fn from(_: Full) -> Self {
        Self::Full(FULL)
    }
}
