//! Faults of programs, as data. The machine attaches the place.

use crate::hint::Hint;
use crate::limits::to_u32;
use crate::text::quote::is_hidden;
use std::fmt;

/// The kinds of fault, with the names of LANGUAGE.md (Faults).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// A form with the wrong number or shape of operands.
    Malformed,
    /// An object without a form key.
    UnknownForm,
    /// An object that has a key twice.
    DuplicateKey,
    /// A variable that nothing binds.
    Unbound,
    /// An application of a value that is not a function.
    NotAFunction,
    /// An operand of the wrong type.
    TypeMismatch,
    /// A division by zero.
    DivideByZero,
    /// A float result that is not finite.
    NotFinite,
    /// `head` or `tail` of the empty list.
    EmptyList,
    /// An index, count or unit beyond what a form accepts.
    OutOfRange,
    /// A record without a key that the program asks for.
    MissingKey,
    /// A `cond` without a true test.
    NoMatch,
    /// An invalid regular expression.
    Regex,
    /// A fault that the program raises itself.
    Fail,
    /// Text that does not parse, such as invalid JSON.
    Unparsable,
    /// A tool that is not registered.
    UnknownTool,
    /// `self`, `continue` or `code_of "self"` outside a tool.
    OutsideTool,
    /// More than 100 nested `eval`s.
    EvalDepth,
    /// The fuel limit.
    OutOfFuel,
    /// The depth limit.
    TooDeep,
    /// The memory limit, or a size beyond every limit.
    TooLarge,
    /// A value that no term can hold.
    NotStorable,
    /// A call of another server without a value.
    Upstream,
    /// A call of a tool that no other server has.
    UnknownCapability,
    /// A call that nothing grants.
    CapabilityDenied,
    /// A defect of the evaluator itself.
    Internal,
}

impl Code {
    /// The name used in JSON, such as `type-mismatch`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::UnknownForm => "unknown-form",
            Self::DuplicateKey => "duplicate-key",
            Self::Unbound => "unbound",
            Self::NotAFunction => "not-a-function",
            Self::TypeMismatch => "type-mismatch",
            Self::DivideByZero => "divide-by-zero",
            Self::NotFinite => "not-finite",
            Self::EmptyList => "empty-list",
            Self::OutOfRange => "out-of-range",
            Self::MissingKey => "missing-key",
            Self::NoMatch => "no-match",
            Self::Regex => "regex",
            Self::Fail => "fail",
            Self::Unparsable => "unparsable",
            Self::UnknownTool => "unknown-tool",
            Self::OutsideTool => "outside-tool",
            Self::EvalDepth => "eval-depth",
            Self::OutOfFuel => "out-of-fuel",
            Self::TooDeep => "too-deep",
            Self::TooLarge => "too-large",
            Self::NotStorable => "not-storable",
            Self::Upstream => "upstream",
            Self::UnknownCapability => "unknown-capability",
            Self::CapabilityDenied => "capability-denied",
            Self::Internal => "internal",
        }
    }
}

impl Code {
    /// All codes.
    pub const ALL: [Self; 26] = [
        Self::Malformed,
        Self::UnknownForm,
        Self::DuplicateKey,
        Self::Unbound,
        Self::NotAFunction,
        Self::TypeMismatch,
        Self::DivideByZero,
        Self::NotFinite,
        Self::EmptyList,
        Self::OutOfRange,
        Self::MissingKey,
        Self::NoMatch,
        Self::Regex,
        Self::Fail,
        Self::Unparsable,
        Self::UnknownTool,
        Self::OutsideTool,
        Self::EvalDepth,
        Self::OutOfFuel,
        Self::TooDeep,
        Self::TooLarge,
        Self::NotStorable,
        Self::Upstream,
        Self::UnknownCapability,
        Self::CapabilityDenied,
        Self::Internal,
    ];

    /// Tells whether `try` catches it. A program must not get around its limits, so faults of
    /// limits pass.
    #[must_use]
    pub fn is_catchable(self) -> bool {
        !matches!(
            self,
            Self::OutOfFuel
                | Self::TooDeep
                | Self::TooLarge
                | Self::NotStorable
                | Self::CapabilityDenied
                | Self::Internal
        )
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Where something stands in a program that was written as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Counted from 1.
    pub line: u32,
    /// Characters of the line before it, and 1.
    pub column: u32,
    /// The line, or the part of it around the place, and below it a `^`.
    pub caret: String,
}

/// Characters of a line that are caret before and behind a place.
const AROUND: usize = 48;

impl Place {
    /// The place of a byte of a text.
    #[must_use]
    pub fn of(text: &str, at: usize) -> Self {
        let at = text.floor_char_boundary(at);
        let (before, behind) = text.split_at_checked(at).unwrap_or((text, ""));
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let before = before.get(start..).unwrap_or_default();
        let column = before.chars().count();
        let skipped = column.saturating_sub(AROUND);
        let rest = behind.lines().next().unwrap_or_default();
        let mut caret = String::from(if skipped > 0 { "…" } else { "" });
        caret.extend(before.chars().skip(skipped).chain(rest.chars().take(AROUND)).map(blank));
        caret.push_str(if rest.chars().nth(AROUND).is_some() { "…\n" } else { "\n" });
        caret.push_str(&" ".repeat(column - skipped + usize::from(skipped > 0)));
        caret.push('^');
        Self { line: to_u32(line), column: to_u32(column + 1), caret }
    }
}

/// A character as it stands in a line that is caret: one that takes no place is a blank.
fn blank(c: char) -> char {
    if is_hidden(c) { ' ' } else { c }
}

/// A limit of a run that a fault is the work of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Fuel.
    Fuel,
    /// Pending evaluations.
    Depth,
    /// Memory.
    Memory,
    /// The length of the result.
    Output,
}

/// A fault with its place resolved, as a host sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The kind of fault.
    pub code: Code,
    /// One sentence, lower case, no final period.
    pub message: String,
    /// JSON Pointer into the submitted term, or into the source of `tool`.
    pub at: String,
    /// The tool in whose source `at` points.
    pub tool: Option<String>,
    /// A hint: the code to write instead.
    pub hint: Option<Hint>,
    /// Tools whose code was active, outermost first.
    pub calls: Vec<String>,
    /// The term at `at`, shortened.
    pub excerpt: Option<String>,
    /// Warnings before the fault, in the words of a run that has a value.
    pub warnings: Vec<String>,
    /// Where it is in a program that was written in the notation.
    pub place: Option<Box<Place>>,
    /// The limit that the run met.
    pub limit: Option<Limit>,
    /// The call that the fault is about, if its code is `Upstream`.
    pub upstream: Option<Box<FailedCall>>,
    /// The variable that nothing binds, if its code is `Unbound`.
    pub variable: Option<String>,
    /// Whether the text ends before the program does, so that more text may complete it.
    pub is_incomplete: bool,
    /// The key or the option that a run looked for, if only one of those that there are is near.
    pub near: Option<Box<Near>>,
    /// The repair of the program, if it is sure.
    pub fix: Option<Box<Fix>>,
}

/// A key of a program, and the only one near it that there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Near {
    /// The key of the program.
    pub was: String,
    /// The key of the record.
    pub now: String,
}

/// A sure repair of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fix {
    /// Where the repaired part begins: `LINE:COLUMN` in a program in the notation, a JSON Pointer
    /// into a JSON term.
    pub at: String,
    /// The part as it was written.
    pub was: String,
    /// The part as it is meant.
    pub now: String,
    /// The whole program with all sure repairs, in the notation that it came in.
    pub fixed: String,
}

/// A call of another server without a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedCall {
    /// `UPSTREAM.TOOL`.
    pub tool: String,
    /// Such as `timeout`.
    pub reason: String,
}

impl Fault {
    /// Returns a fault at the root of the submitted term.
    #[must_use]
    #[inline(never)]
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            at: String::new(),
            tool: None,
            hint: None,
            calls: Vec::new(),
            excerpt: None,
            warnings: Vec::new(),
            place: None,
            limit: None,
            upstream: None,
            variable: None,
            is_incomplete: false,
            near: None,
            fix: None,
        }
    }

    /// Returns the fault of a state that cannot be.
    #[must_use]
    #[cold]
    pub fn defect(what: &str) -> Self {
        Self::new(Code::Internal, format!("{what}: this is a defect of the evaluator"))
    }

    /// Marks the fault as the work of a limit.
    #[must_use]
    pub fn by(mut self, limit: Limit) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Adds a hint.
    #[must_use]
    #[inline(never)]
    pub fn hint(mut self, hint: impl Into<Hint>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Notes a key that the run looked for, and the only one near it.
    #[must_use]
    pub fn near(mut self, was: &str, now: Option<&str>) -> Self {
        self.near = now.map(|now| Box::new(Near { was: was.to_owned(), now: now.to_owned() }));
        self
    }

    /// Marks the fault as one of a text that ends too early.
    #[must_use]
    pub fn incomplete(mut self) -> Self {
        self.is_incomplete = true;
        self
    }

    /// Prefixes the fault's place with a pointer.
    #[must_use]
    pub fn within(mut self, pointer: &str) -> Self {
        self.at.insert_str(0, pointer);
        self
    }

    /// Sets the fault's place.
    #[must_use]
    pub fn at(mut self, pointer: impl Into<String>) -> Self {
        self.at = pointer.into();
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)?;
        if !self.at.is_empty() {
            write!(f, " at {}", self.at)?;
        }
        if let Some(tool) = &self.tool {
            write!(f, " in `{tool}`")?;
        }
        self.hint.as_ref().map_or(Ok(()), |hint| write!(f, " ({hint})"))
    }
}

impl Fault {
    /// Tells whether the fault is about what was given beside the code.
    #[must_use]
    pub fn is_of_argument(&self) -> bool {
        let mut segments = self.at.split('/').skip(1);
        self.place.is_none()
            && matches!(segments.next(), Some("input" | "data" | "context" | "bindings"))
    }

    /// Tells whether the fault is about a form in `input` that you may have meant as data.
    #[must_use]
    pub fn is_of_input(&self) -> bool {
        let is_form = matches!(
            self.code,
            Code::Malformed
                | Code::Unbound
                | Code::NotAFunction
                | Code::TypeMismatch
                | Code::UnknownTool
                | Code::OutsideTool
        );
        is_form && self.tool.is_none() && (self.at == "/input" || self.at.starts_with("/input/"))
    }
}

impl std::error::Error for Fault {}

/// A likely mistake, or a part of the term that is read in another way than it looks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Such as `ignored-key`.
    pub code: &'static str,
    /// JSON Pointer into the term.
    pub at: String,
    /// One sentence, lower case, no final period.
    pub message: String,
    /// A hint: the code to write instead.
    pub hint: Option<Hint>,
    /// The term at `at`, shortened to one line.
    pub excerpt: Option<String>,
    /// The place in a program that is written in the notation.
    pub place: Option<Box<Place>>,
    /// The repair of the program, if it is sure.
    pub fix: Option<Box<Fix>>,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at ", self.code)?;
        match self.place.as_deref() {
            Some(Place { line, column, .. }) => write!(f, "line {line}, column {column}")?,
            None => f.write_str(&self.at)?,
        }
        write!(f, ": {}", self.message)?;
        self.hint.as_ref().map_or(Ok(()), |hint| write!(f, " ({hint})"))
    }
}
