//! Forms, and the row that holds all data about one.

use super::kinds::Kinds;
use super::prices::Fuel;

/// What a term is: a form of the table, or a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
#[expect(missing_docs, reason = "each form is documented by its row of the table")]
pub enum Form {
    Var,
    Lam,
    App,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Eq,
    Lt,
    Gt,
    Lte,
    Gte,
    And,
    Or,
    Not,
    If,
    Nil,
    Cons,
    Head,
    Tail,
    IsEmpty,
    Length,
    Pair,
    Fst,
    Snd,
    Concat,
    SelfRef,
    Continue,
    Fold,
    Quote,
    Eval,
    CodeOf,
    Let,
    Cond,
    Coalesce,
    Try,
    Fail,
    Pipe,
    Tool,
    Trace,
    Perform,
    Float,
    Int,
    Fdiv,
    Neg,
    Abs,
    Sqrt,
    Exp,
    Ln,
    Log10,
    Floor,
    Ceil,
    ToInt,
    ToFloat,
    Pow,
    Round,
    Min,
    Max,
    Upper,
    Lower,
    Trim,
    Chars,
    Lines,
    Split,
    Join,
    Slice,
    Contains,
    StartsWith,
    EndsWith,
    IndexOf,
    Replace,
    Repeat,
    PadLeft,
    PadRight,
    ToString,
    ParseInt,
    ParseFloat,
    JsonParse,
    JsonText,
    CsvParse,
    Matches,
    FindAll,
    RegexReplace,
    RegexSplit,
    Captures,
    Encode,
    Decode,
    CharCode,
    FromCharCode,
    FormatNumber,
    Reduce,
    Map,
    FlatMap,
    Filter,
    Find,
    Any,
    All,
    SortBy,
    GroupBy,
    CountBy,
    DistinctBy,
    MaxBy,
    MinBy,
    Partition,
    Sort,
    Reverse,
    Distinct,
    Flatten,
    Sum,
    Product,
    Mean,
    Median,
    Last,
    Enumerate,
    Append,
    Nth,
    Take,
    Drop,
    Range,
    Zip,
    Chunk,
    Percentile,
    Record,
    Get,
    GetIn,
    Has,
    Put,
    Update,
    PutIn,
    UpdateIn,
    Remove,
    Merge,
    Keys,
    Values,
    Entries,
    FromEntries,
    Pick,
    Omit,
    Describe,
    DateParse,
    DateFormat,
    DateParts,
    DateAdd,
    DateDiff,
    Unquote,
    TermToData,
    DataToTerm,
    Analyze,
    TypeOf,
    // Literals have no key and no row.
    Unit,
    Boolean,
    Integer,
    BigInteger,
    FloatNumber,
    Text,
    List,
}

/// How the operands of a form are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `"name"`
    Name,
    /// `"x", "body": t` or `["x", "y"], "body": t`
    Lambda,
    /// `{"func": f, "arg": a}` or `{"func": f, "args": [a, b]}`
    Application,
    /// `[a, b]`, so many.
    Operands(u32),
    /// The bare term.
    Operand,
    /// `[a, b, …]`, so many or more.
    AtLeast(u32),
    /// `[a, b?]`, from so many to so many.
    Between(u32, u32),
    /// The same, or the bare term where it is no literal array.
    BareOr(u32, u32),
    /// The bare term, or `[a, b?]`, so many at most: alone it is bare unless it is a literal array.
    OperandOr(u32),
    /// `[list]` or the list: a literal array of exactly one element holds the list, any other is
    /// the list itself.
    ListOrBare,
    /// `[a, b, …]`, or `[list]` or the bare term of one.
    Extremes,
    /// A number, or a text that spells one.
    Literal,
    /// `[[test, value], …]`
    Branches,
    /// `t, "catch": f`
    Try,
    /// `{"cond": c, "then": t, "else": e}`, named members in order of evaluation.
    Members(&'static [&'static str]),
    /// Anything; it is ignored.
    Ignored,
    /// `[["x", t], …], "in": b` or `{"x": t}, "in": b`
    Bindings,
    /// `{"key": t, …}`
    Fields,
    /// `{"capability": "name", "args": t}`
    Effect,
}

/// How a form is evaluated: it decides which table holds its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Evaluation {
    /// Reading it makes a literal.
    Literal,
    /// The compiler has a rule for it (`compile::rules`).
    Control,
    /// The operands are evaluated first, then an operation of the machine takes one or two.
    Operation,
    /// A function is applied to elements, one after another (`compile::loops`).
    Elementwise,
    /// The operands are evaluated first, then a function gets them all (`machine::builtin`).
    Builtin,
    /// It has a meaning inside a quote only.
    Hole,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The key in JSON.
    pub name: &'static str,
    /// The form.
    pub form: Form,
    /// The category in `help`.
    pub group: &'static str,
    /// How its operands are written.
    pub shape: Shape,
    /// How it is evaluated.
    pub(crate) evaluation: Evaluation,
    /// The types that its operands must have; the last is for all that follow.
    pub(crate) takes: &'static [Kinds],
    /// The type of its value.
    pub(crate) gives: Kinds,
    /// What it costs.
    pub(crate) fuel: Fuel,
    /// Whether it is a form of the original calculus, which `input` knows as code.
    pub(crate) is_original: bool,
    /// How it is written, for people.
    pub syntax: &'static str,
    /// One line of documentation.
    pub doc: &'static str,
    /// A term that shows it.
    pub example: &'static str,
    /// What the example gives, as canonical JSON.
    pub result: &'static str,
}
