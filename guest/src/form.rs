//! The table of forms. A row holds all data about a form: the parser, the checker, the compiler,
//! the prices, `help` and the reference read it there. The rows stand in the modules below, a group
//! each. To add a form, add its name to `Form`, its row to a group, and its function to the table
//! of its evaluation; the compiler names whatever you forget.

mod control;
mod dates;
mod fuel;
mod key;
pub(crate) mod kinds;
mod lists;
mod meta;
mod numbers;
mod original;
mod records;
mod scope;
pub(crate) mod table;
mod text;

use fuel::Fuel;
use kinds::{ANY, Kinds, UNKNOWN};
pub(crate) use scope::Scope;

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
    Letrec,
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
    /// `[["f", lam], …], "in": b` or `{"f": lam}, "in": b`
    Functions,
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
    takes: &'static [Kinds],
    /// The type of its value.
    gives: Kinds,
    /// What it costs.
    fuel: Fuel,
    /// Whether it is a form of the original calculus, which `input` knows as code.
    is_original: bool,
    /// How it is written, for people.
    pub syntax: &'static str,
    /// One line of documentation.
    pub doc: &'static str,
    /// A term that shows it.
    pub example: &'static str,
    /// What the example gives, as canonical JSON.
    pub result: &'static str,
}

/// The groups, in the order in which an object's keys are searched for a form.
const GROUPS: [&[Row]; 8] = [
    original::ROWS,
    control::ROWS,
    numbers::ROWS,
    text::ROWS,
    lists::ROWS,
    records::ROWS,
    dates::ROWS,
    meta::ROWS,
];

/// How many forms have a row.
pub(crate) const COUNT: usize = {
    let (mut count, mut group) = (0, 0);
    while group < GROUPS.len() {
        count += GROUPS[group].len();
        group += 1;
    }
    count
};

/// Every form, in the order in which an object's keys are searched for one.
pub static FORMS: &[Row] = &{
    let mut rows = [original::ROWS[0]; COUNT];
    let (mut at, mut group) = (0, 0);
    while group < GROUPS.len() {
        let mut row = 0;
        while row < GROUPS[group].len() {
            rows[at] = GROUPS[group][row];
            assert!(rows[at].form as usize == at, "the rows stand in the order of `Form`");
            (at, row) = (at + 1, row + 1);
        }
        group += 1;
    }
    rows
};

/// A literal: it has no key and no row, and its price is one for all.
struct Literal {
    form: Form,
    /// What it is called.
    name: &'static str,
    gives: Kinds,
}

/// The literals, in the order of `Form`.
static LITERALS: [Literal; 7] = {
    let literals = [
        Literal { form: Form::Unit, name: "literal", gives: kinds::NULL },
        Literal { form: Form::Boolean, name: "literal", gives: kinds::BOOLEAN },
        Literal { form: Form::Integer, name: "literal", gives: kinds::NUMBER },
        Literal { form: Form::BigInteger, name: "literal", gives: kinds::NUMBER },
        Literal { form: Form::FloatNumber, name: "literal", gives: kinds::NUMBER },
        Literal { form: Form::Text, name: "literal", gives: kinds::STRING },
        Literal { form: Form::List, name: "list", gives: kinds::LIST },
    ];
    let mut at = 0;
    while at < literals.len() {
        assert!(literals[at].form as usize == COUNT + at, "the literals follow the rows");
        at += 1;
    }
    literals
};

impl Form {
    /// The form's row; literals have none.
    #[must_use]
    pub fn row(self) -> Option<&'static Row> {
        FORMS.get(self as usize)
    }

    fn literal(self) -> Option<&'static Literal> {
        LITERALS.get((self as usize).checked_sub(COUNT)?)
    }

    /// Whether the form is a literal that stands for itself, and no list.
    #[must_use]
    pub fn is_literal(self) -> bool {
        self as usize >= COUNT && self != Self::List
    }

    /// The form's key, or what a literal is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().map_or_else(|| self.literal().map_or("", |it| it.name), |row| row.name)
    }

    /// Whether the form is one of the original calculus, which `input` knows as code.
    #[must_use]
    pub fn is_original(self) -> bool {
        self.row().is_some_and(|row| row.is_original)
    }

    /// How the form is evaluated.
    pub(crate) fn evaluation(self) -> Evaluation {
        self.row().map_or(Evaluation::Literal, |row| row.evaluation)
    }

    /// The types that the form takes as this operand.
    pub(crate) fn accepted(self, operand: usize) -> Kinds {
        let takes = self.row().map_or(&[][..], |row| row.takes);
        takes.get(operand).or(takes.last()).copied().unwrap_or(ANY)
    }

    /// The type of the form's value; `UNKNOWN` where it depends on operands.
    pub(crate) fn given(self) -> Kinds {
        self.row().map_or_else(|| self.literal().map_or(UNKNOWN, |it| it.gives), |row| row.gives)
    }

    /// Fuel of each visit of a node of this form.
    #[must_use]
    pub fn visit_price(self) -> u16 {
        self.fuel().visit
    }

    /// Fuel of each application of a function that this form makes.
    #[must_use]
    pub fn application_price(self) -> u16 {
        self.fuel().application
    }

    /// Fuel of a unit of the work that this form does with its operands.
    #[must_use]
    pub fn work_price(self) -> u64 {
        self.fuel().work.into()
    }

    fn fuel(self) -> Fuel {
        self.row().map_or(fuel::LITERAL, |row| row.fuel)
    }
}
