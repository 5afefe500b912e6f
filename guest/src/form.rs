//! The one table of forms: parser, `help`, the reference and the tests derive from its rows, which
//! are in the modules below, a group each.

mod control;
mod dates;
mod lists;
mod meta;
mod numbers;
mod pif;
mod price;
mod records;
mod text;

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
    /// How it is written, for people.
    pub syntax: &'static str,
    /// One line of documentation.
    pub doc: &'static str,
    /// A term that shows it.
    pub example: &'static str,
    /// What the example gives, as canonical JSON.
    pub result: &'static str,
}

const fn row(
    (name, form, group, shape): (&'static str, Form, &'static str, Shape),
    syntax: &'static str,
    doc: &'static str,
    (example, result): (&'static str, &'static str),
) -> Row {
    Row { name, form, group, shape, syntax, doc, example, result }
}

/// The groups, in the order in which an object's keys are searched for a form.
const GROUPS: [&[Row]; 8] = [
    pif::ROWS,
    control::ROWS,
    numbers::ROWS,
    text::ROWS,
    lists::ROWS,
    records::ROWS,
    dates::ROWS,
    meta::ROWS,
];

const COUNT: usize = {
    let (mut count, mut group) = (0, 0);
    while group < GROUPS.len() {
        count += GROUPS[group].len();
        group += 1;
    }
    count
};

/// Every form, in the order in which an object's keys are searched for one.
pub static FORMS: &[Row] = &{
    let mut rows = [pif::ROWS[0]; COUNT];
    let (mut at, mut group) = (0, 0);
    while group < GROUPS.len() {
        let mut row = 0;
        while row < GROUPS[group].len() {
            rows[at] = GROUPS[group][row];
            (at, row) = (at + 1, row + 1);
        }
        group += 1;
    }
    rows
};

/// Places of the hash table of keys, more than twice as many as there are keys.
const PLACES: usize = 512;

/// Of each place the row of the form whose key is there, counted from 1. Keys that hash alike
/// stand in places one after another.
static KEYS: [u8; PLACES] = {
    assert!(COUNT < 256 && 2 * COUNT < PLACES, "a row's number is a byte");
    let mut keys = [0; PLACES];
    let mut row = 0;
    while row < COUNT {
        let mut place = place(FORMS[row].name);
        while keys[place] != 0 {
            place = (place + 1) % PLACES;
        }
        #[expect(clippy::cast_possible_truncation, reason = "asserted above")]
        let number = row as u8 + 1;
        keys[place] = number;
        row += 1;
    }
    keys
};

/// Where the search for a key begins (FNV-1a).
const fn place(key: &str) -> usize {
    let bytes = key.as_bytes();
    let (mut hash, mut at) = (0x811c_9dc5_u32, 0);
    while at < bytes.len() && at < 16 {
        hash = (hash ^ bytes[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    (hash ^ hash >> 16) as usize % PLACES
}

impl Form {
    /// The form that an object key names.
    #[must_use]
    pub fn of_key(key: &str) -> Option<Self> {
        let mut at = place(key);
        loop {
            let row = FORMS.get(usize::from(*KEYS.get(at)?).checked_sub(1)?)?;
            if row.name == key {
                return Some(row.form);
            }
            at = (at + 1) % PLACES;
        }
    }

    /// The form's row; literals have none.
    #[must_use]
    pub fn row(self) -> Option<&'static Row> {
        FORMS.get(self as usize)
    }

    /// The form's key, or what a literal is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Unit
            | Self::Boolean
            | Self::Integer
            | Self::BigInteger
            | Self::FloatNumber
            | Self::Text => "literal",
            Self::List => "list",
            _ => self.row().map_or("", |row| row.name),
        }
    }

    /// Whether the form is one of the original calculus, which `input` knows as code.
    #[must_use]
    pub fn is_input_form(self) -> bool {
        self <= Self::CodeOf || self == Self::Record
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_stand_in_their_rows() {
        for (index, row) in FORMS.iter().enumerate() {
            assert_eq!(row.form as usize, index, "{}", row.name);
            assert_eq!(Form::of_key(row.name), Some(row.form));
        }
        assert_eq!(Form::of_key("lambda"), None);
        assert_eq!(Form::of_key(""), None);
    }
}
