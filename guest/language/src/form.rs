//! Forms, and the row with all data about one.

use super::kinds::Kinds;
use super::prices::Fuel;

/// The form of a term: a form of the table, or a literal.
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
    Letrec,
    Cond,
    Coalesce,
    Try,
    Fail,
    Pipe,
    Tool,
    Trace,
    Call,
    Calls,
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
    Divide,
    Rem,
    Plus,
    Math,
    Bits,
    ToNumber,
    LeadingNumber,
    NumberText,
    NumberIs,
    Truth,
    Either,
    Both,
    Typeof,
    AsText,
    Stringify,
    LastIndexOf,
    LocaleCompare,
    Regex,
    RegexMatch,
    RegexMatchAll,
    RegexParts,
    Substitute,
    SortWith,
    Apply,
    Elements,
    ToMap,
    ToSet,
    Lookup,
    Insert,
    Moment,
    MomentPart,
    Normalize,
    // Literals have neither a key nor a row.
    Unit,
    Boolean,
    Integer,
    BigInteger,
    FloatNumber,
    Text,
    List,
}

/// How you write the operands of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `"name"`
    Name,
    /// `"x", "body": t` or `["x", "y"], "body": t`
    Lambda,
    /// `{"func": f, "arg": a}` or `{"func": f, "args": [a, b]}`
    Application,
    /// `[a, b]`, exactly as many.
    Operands(u32),
    /// The bare term.
    Operand,
    /// `[a, b, …]`, at least as many.
    AtLeast(u32),
    /// `[a, b?]`, with a least and a greatest number.
    Between(u32, u32),
    /// `Between`, or the bare term unless it is a literal array.
    BareOr(u32, u32),
    /// The bare term, or `[a, b?]` with at most as many. A literal array is never the bare term.
    OperandOr(u32),
    /// `[list]` or the list. A literal array of exactly one element holds the list; any other is
    /// the list itself. Where the form takes a number besides, a literal array of two whose second
    /// element is a literal number holds the list and that.
    ListOrBare,
    /// `[a, b, …]`, or `[list]`, or the bare list.
    Extremes,
    /// A number, or a text of one.
    Literal,
    /// `[[test, value], …]`
    Branches,
    /// `t, "catch": f`
    Try,
    /// `{"cond": c, "then": t, "else": e}`, named members in order of evaluation.
    Members(&'static [&'static str]),
    /// `Members`, the last of which may be missing.
    MembersOr(&'static [&'static str]),
    /// Anything. It is ignored.
    Ignored,
    /// `[["x", t], …], "in": b` or `{"x": t}, "in": b`
    Bindings,
    /// `[["f", lam], …], "in": b` or `{"f": lam}, "in": b`
    Functions,
    /// `{"key": t, …}`
    Fields,
    /// `MembersOr`, the first of which is a literal text: `UPSTREAM.TOOL`.
    Named(&'static [&'static str]),
}

/// How a form is evaluated. This decides which table holds its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evaluation {
    /// The parser makes a literal of it.
    Literal,
    /// The compiler has a rule for it (`compile::rules`).
    Control,
    /// The machine evaluates the operands, then an operation takes one or two.
    Operation,
    /// It applies a function to elements, one after another (`compile::loops`).
    Elementwise,
    /// The machine evaluates the operands, then a function takes them all (`machine::builtin`).
    Builtin,
    /// It has a meaning only inside a quote.
    Hole,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The key in JSON.
    pub name: &'static str,
    /// The form.
    pub form: Form,
    /// The group in `help`.
    pub group: &'static str,
    /// How you write its operands.
    pub shape: Shape,
    /// How it is evaluated.
    pub evaluation: Evaluation,
    /// The types of its operands. The last is for all that follow.
    pub takes: &'static [Kinds],
    /// The type of its value.
    pub gives: Kinds,
    /// Its prices.
    pub fuel: Fuel,
    /// Whether it belongs to the original calculus. `input` reads only those as code.
    pub is_original: bool,
    /// Its syntax, for people.
    pub syntax: &'static str,
    /// One line of documentation.
    pub doc: &'static str,
    /// A term that shows its use.
    pub example: &'static str,
    /// The example's value, as canonical JSON.
    pub result: &'static str,
}
