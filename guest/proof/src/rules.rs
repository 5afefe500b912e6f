//! The rules as data: pairs of terms with variables, and what must hold of what these stand for.
//!
//! The sides are read as `pif_language::example` reads syntax: a bare word is a variable. Besides, `$x` is
//! a variable that the rule itself binds, and `(f t)` is the application of `f` to `t`.

use crate::facts::PLAIN;
use crate::term::{Name, Term, read};
use crate::types::Type;
use pif_language::example;
use pif_language::kinds::{BOOLEAN, INTEGER, LIST, NUMBER, PAIR, RECORD, STRING};
use pif_language::print;
use std::sync::LazyLock;

/// What a rule asks of what its variables stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// It is a function, written out, of so many parameters.
    Function(&'static str, usize),
    /// It surely has a value.
    Total(&'static str),
    /// The first surely has a value if the second has one.
    TotalAfter(&'static str, &'static str),
    /// Whenever it has a value, it is one of these.
    Is(&'static str, Wanted),
    /// A function surely has a value for each element of a list.
    TotalOn(&'static str, &'static str),
    /// Whenever a function has a value for an element of a list, it is one of these.
    GivesOn(&'static str, &'static str, Wanted),
}

/// A type that a rule asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Wanted {
    Boolean,
    Integer,
    Number,
    Text,
    NoText,
    List,
    ListOrText,
    Integers,
    Record,
    Pair,
    Data,
}

impl Wanted {
    /// The type.
    #[must_use]
    pub fn as_type(self) -> Type {
        match self {
            Self::Boolean => Type::of(BOOLEAN),
            Self::Integer => Type::of(INTEGER),
            Self::Number => Type::of(NUMBER),
            Self::Text => Type::of(STRING),
            Self::NoText => Type { kinds: PLAIN & !STRING, is_deep: false, element: None },
            Self::List => Type::of(LIST),
            Self::ListOrText => Type::of(LIST | STRING),
            Self::Integers => Type::integers(),
            Self::Record => Type::of(RECORD),
            Self::Pair => Type::of(PAIR),
            Self::Data => Type::data(),
        }
    }
}

/// How the search uses a rule. A proof may use any in both directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// From left to right, whenever it applies: the right side is simpler.
    Simplify,
    /// In both directions, where simplifying does not suffice.
    Explore,
}

/// A row of the table.
#[derive(Debug)]
struct Row {
    name: &'static str,
    left: &'static str,
    right: &'static str,
    conditions: &'static [Condition],
    usage: Use,
}

/// A rule, read.
#[derive(Debug)]
pub struct Rule {
    /// Its name.
    pub name: &'static str,
    /// The left side.
    pub left: Term,
    /// The right side.
    pub right: Term,
    /// Its variables.
    pub variables: Vec<Name>,
    /// What it asks of them.
    pub conditions: &'static [Condition],
    /// How the search uses it.
    pub usage: Use,
}

impl Rule {
    /// The number of conditions for which a proof has a derivation.
    #[must_use]
    pub fn derived(&self) -> usize {
        self.conditions.iter().filter(|it| !matches!(it, Condition::Function(..))).count()
    }
}

/// All rules.
pub static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| ROWS.iter().filter_map(compile).collect());

/// The rule of a name.
#[must_use]
pub fn rule(name: &str) -> Option<&'static Rule> {
    RULES.iter().find(|it| it.name == name)
}

/// Counts the rows of the table: a row that cannot be read is no rule.
#[must_use]
pub fn count_rows() -> usize {
    ROWS.len()
}

fn compile(row: &Row) -> Option<Rule> {
    let mut variables: Vec<Name> = Vec::new();
    let mut side = |text: &str| {
        let found = example::read(&expand(text))?;
        for word in found.words {
            if variables.iter().all(|it| **it != *word) {
                variables.push(word.into());
            }
        }
        read(&print::term(&found.terms, found.root)).ok()
    };
    let (left, right) = (side(row.left)?, side(row.right)?);
    Some(Rule {
        name: row.name,
        left,
        right,
        variables,
        conditions: row.conditions,
        usage: row.usage,
    })
}

/// Writes out `$x` and `(f t)`.
fn expand(text: &str) -> String {
    let mut out = String::new();
    // What closes each open parenthesis, and whether its function still stands before.
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '$' => {
                let mut name = String::new();
                while let Some(c) = characters.next_if(char::is_ascii_alphanumeric) {
                    name.push(c);
                }
                out.extend(["{\"var\": \"", &name, "\"}"]);
            }
            '(' => {
                let mut function = String::new();
                while let Some(c) = characters.next_if(|c| *c != ' ') {
                    function.push(c);
                }
                characters.next();
                out.extend(["{\"app\": {\"func\": ", &function, ", \"args\": ["]);
            }
            ')' => out.push_str("]}}"),
            _ => out.push(c),
        }
    }
    out
}

use Condition::{Function, GivesOn, Is, Total, TotalAfter, TotalOn};
use Use::{Explore, Simplify};
use Wanted::{
    Boolean, Data, Integer, Integers, List, ListOrText, NoText, Number, Pair, Record, Text,
};

const fn row(
    name: &'static str,
    left: &'static str,
    right: &'static str,
    conditions: &'static [Condition],
    usage: Use,
) -> Row {
    Row { name, left, right, conditions, usage }
}

/// The table. A condition says what the sides differ in without it.
const ROWS: &[Row] = &[
    // Truth values.
    row("not-not", r#"{"not": {"not": {"not": a}}}"#, r#"{"not": a}"#, &[], Simplify),
    row("not-not-boolean", r#"{"not": {"not": a}}"#, "a", &[Is("a", Boolean)], Simplify),
    row(
        "not-and",
        r#"{"not": {"and": [a, b]}}"#,
        r#"{"or": [{"not": a}, {"not": b}]}"#,
        &[],
        Simplify,
    ),
    row(
        "not-or",
        r#"{"not": {"or": [a, b]}}"#,
        r#"{"and": [{"not": a}, {"not": b}]}"#,
        &[],
        Simplify,
    ),
    row("and-3", r#"{"and": [a, b, c]}"#, r#"{"and": [a, {"and": [b, c]}]}"#, &[], Simplify),
    row("and-4", r#"{"and": [a, b, c, d]}"#, r#"{"and": [a, {"and": [b, c, d]}]}"#, &[], Simplify),
    row("or-3", r#"{"or": [a, b, c]}"#, r#"{"or": [a, {"or": [b, c]}]}"#, &[], Simplify),
    row("or-4", r#"{"or": [a, b, c, d]}"#, r#"{"or": [a, {"or": [b, c, d]}]}"#, &[], Simplify),
    row(
        "and-and",
        r#"{"and": [{"and": [a, b]}, c]}"#,
        r#"{"and": [a, {"and": [b, c]}]}"#,
        &[],
        Simplify,
    ),
    row("or-or", r#"{"or": [{"or": [a, b]}, c]}"#, r#"{"or": [a, {"or": [b, c]}]}"#, &[], Simplify),
    row("and-true", r#"{"and": [true, a]}"#, "a", &[Is("a", Boolean)], Simplify),
    row("and-true-right", r#"{"and": [a, true]}"#, "a", &[Is("a", Boolean)], Simplify),
    row("and-false", r#"{"and": [false, a]}"#, "false", &[], Simplify),
    row("or-false", r#"{"or": [false, a]}"#, "a", &[Is("a", Boolean)], Simplify),
    row("or-false-right", r#"{"or": [a, false]}"#, "a", &[Is("a", Boolean)], Simplify),
    row("or-true", r#"{"or": [true, a]}"#, "true", &[], Simplify),
    row("and-same", r#"{"and": [a, a]}"#, "a", &[Is("a", Boolean)], Simplify),
    row("or-same", r#"{"or": [a, a]}"#, "a", &[Is("a", Boolean)], Simplify),
    row("and-same-2", r#"{"and": [a, {"and": [a, b]}]}"#, r#"{"and": [a, b]}"#, &[], Simplify),
    row("or-same-2", r#"{"or": [a, {"or": [a, b]}]}"#, r#"{"or": [a, b]}"#, &[], Simplify),
    row("and-absorbs", r#"{"and": [a, {"or": [a, b]}]}"#, "a", &[Is("a", Boolean)], Simplify),
    row("or-absorbs", r#"{"or": [a, {"and": [a, b]}]}"#, "a", &[Is("a", Boolean)], Simplify),
    row(
        "or-of-and",
        r#"{"or": [{"and": [a, b]}, {"and": [a, c]}]}"#,
        r#"{"and": [a, {"or": [b, c]}]}"#,
        &[],
        Simplify,
    ),
    row(
        "and-of-or",
        r#"{"and": [{"or": [a, b]}, {"or": [a, c]}]}"#,
        r#"{"or": [a, {"and": [b, c]}]}"#,
        &[],
        Simplify,
    ),
    row(
        "and-swap",
        r#"{"and": [a, b]}"#,
        r#"{"and": [b, a]}"#,
        &[Is("a", Boolean), Is("b", Boolean), TotalAfter("a", "b"), TotalAfter("b", "a")],
        Explore,
    ),
    row(
        "or-swap",
        r#"{"or": [a, b]}"#,
        r#"{"or": [b, a]}"#,
        &[Is("a", Boolean), Is("b", Boolean), TotalAfter("a", "b"), TotalAfter("b", "a")],
        Explore,
    ),
    row(
        "and-swap-2",
        r#"{"and": [a, {"and": [b, c]}]}"#,
        r#"{"and": [b, {"and": [a, c]}]}"#,
        &[Is("a", Boolean), Is("b", Boolean), TotalAfter("a", "b"), TotalAfter("b", "a")],
        Explore,
    ),
    row(
        "or-swap-2",
        r#"{"or": [a, {"or": [b, c]}]}"#,
        r#"{"or": [b, {"or": [a, c]}]}"#,
        &[Is("a", Boolean), Is("b", Boolean), TotalAfter("a", "b"), TotalAfter("b", "a")],
        Explore,
    ),
    row("truth-boolean", r#"{"truth": a}"#, "a", &[Is("a", Boolean)], Simplify),
    row(
        "both-boolean",
        r#"{"both": [a, b]}"#,
        r#"{"and": [a, b]}"#,
        &[Is("a", Boolean), Is("b", Boolean)],
        Simplify,
    ),
    row(
        "either-boolean",
        r#"{"either": [a, b]}"#,
        r#"{"or": [a, b]}"#,
        &[Is("a", Boolean), Is("b", Boolean)],
        Simplify,
    ),
    row(
        "not-lt",
        r#"{"not": {"lt": [a, b]}}"#,
        r#"{"lte": [b, a]}"#,
        &[Is("a", Data), Is("b", Data)],
        Simplify,
    ),
    row(
        "not-lte",
        r#"{"not": {"lte": [a, b]}}"#,
        r#"{"lt": [b, a]}"#,
        &[Is("a", Data), Is("b", Data)],
        Simplify,
    ),
    row("gt-lt", r#"{"gt": [a, b]}"#, r#"{"lt": [b, a]}"#, &[], Simplify),
    row("gte-lte", r#"{"gte": [a, b]}"#, r#"{"lte": [b, a]}"#, &[], Simplify),
    row(
        "eq-swap",
        r#"{"eq": [a, b]}"#,
        r#"{"eq": [b, a]}"#,
        &[Is("a", Data), Is("b", Data)],
        Explore,
    ),
    row("eq-true", r#"{"eq": [a, true]}"#, "a", &[Is("a", Boolean)], Simplify),
    row("eq-false", r#"{"eq": [a, false]}"#, r#"{"not": a}"#, &[Is("a", Boolean)], Simplify),
    row("eq-true-left", r#"{"eq": [true, a]}"#, "a", &[Is("a", Boolean)], Simplify),
    row("eq-false-left", r#"{"eq": [false, a]}"#, r#"{"not": a}"#, &[Is("a", Boolean)], Simplify),
    row("eq-same", r#"{"eq": [a, a]}"#, "true", &[Total("a"), Is("a", Data)], Simplify),
    row("lt-same", r#"{"lt": [a, a]}"#, "false", &[Total("a"), Is("a", Number)], Simplify),
    row("lte-same", r#"{"lte": [a, a]}"#, "true", &[Total("a"), Is("a", Number)], Simplify),
    row(
        "lt-next",
        r#"{"lt": [a, {"add": [b, 1]}]}"#,
        r#"{"lte": [a, b]}"#,
        &[Is("a", Integer), Is("b", Integer)],
        Simplify,
    ),
    row(
        "lte-next",
        r#"{"lte": [{"add": [a, 1]}, b]}"#,
        r#"{"lt": [a, b]}"#,
        &[Is("a", Integer), Is("b", Integer)],
        Simplify,
    ),
    row(
        "between",
        r#"{"and": [{"lte": [a, b]}, {"lte": [b, a]}]}"#,
        r#"{"eq": [a, b]}"#,
        &[Is("a", Number), Is("b", Number)],
        Explore,
    ),
    // Branches.
    row("if-true", r#"{"if": {"cond": true, "then": a, "else": b}}"#, "a", &[], Simplify),
    row("if-false", r#"{"if": {"cond": false, "then": a, "else": b}}"#, "b", &[], Simplify),
    row(
        "if-not",
        r#"{"if": {"cond": {"not": c}, "then": a, "else": b}}"#,
        r#"{"if": {"cond": c, "then": b, "else": a}}"#,
        &[],
        Simplify,
    ),
    row(
        "if-same",
        r#"{"if": {"cond": c, "then": a, "else": a}}"#,
        "a",
        &[Total("c"), Is("c", Boolean)],
        Simplify,
    ),
    row(
        "if-boolean",
        r#"{"if": {"cond": c, "then": true, "else": false}}"#,
        "c",
        &[Is("c", Boolean)],
        Simplify,
    ),
    row(
        "if-not-boolean",
        r#"{"if": {"cond": c, "then": false, "else": true}}"#,
        r#"{"not": c}"#,
        &[],
        Simplify,
    ),
    row(
        "if-and",
        r#"{"if": {"cond": c, "then": a, "else": false}}"#,
        r#"{"and": [c, a]}"#,
        &[Is("a", Boolean)],
        Simplify,
    ),
    row(
        "if-or",
        r#"{"if": {"cond": c, "then": true, "else": a}}"#,
        r#"{"or": [c, a]}"#,
        &[Is("a", Boolean)],
        Simplify,
    ),
    row(
        "if-implies",
        r#"{"if": {"cond": c, "then": a, "else": true}}"#,
        r#"{"or": [{"not": c}, a]}"#,
        &[Is("a", Boolean)],
        Simplify,
    ),
    row(
        "if-without",
        r#"{"if": {"cond": c, "then": false, "else": a}}"#,
        r#"{"and": [{"not": c}, a]}"#,
        &[Is("a", Boolean)],
        Simplify,
    ),
    row(
        "if-then-if",
        r#"{"if": {"cond": c, "then": {"if": {"cond": d, "then": a, "else": b}}, "else": b}}"#,
        r#"{"if": {"cond": {"and": [c, d]}, "then": a, "else": b}}"#,
        &[],
        Simplify,
    ),
    row(
        "if-else-if",
        r#"{"if": {"cond": c, "then": a, "else": {"if": {"cond": d, "then": a, "else": b}}}}"#,
        r#"{"if": {"cond": {"or": [c, d]}, "then": a, "else": b}}"#,
        &[],
        Simplify,
    ),
    row(
        "if-then-again",
        r#"{"if": {"cond": c, "then": {"if": {"cond": c, "then": a, "else": b}}, "else": d}}"#,
        r#"{"if": {"cond": c, "then": a, "else": d}}"#,
        &[],
        Simplify,
    ),
    row(
        "if-else-again",
        r#"{"if": {"cond": c, "then": a, "else": {"if": {"cond": c, "then": b, "else": d}}}}"#,
        r#"{"if": {"cond": c, "then": a, "else": d}}"#,
        &[],
        Simplify,
    ),
    row(
        "cond-2",
        r#"{"cond": [[c, a], [true, b]]}"#,
        r#"{"if": {"cond": c, "then": a, "else": b}}"#,
        &[],
        Simplify,
    ),
    row(
        "cond-3",
        r#"{"cond": [[c, a], [d, b], [true, e]]}"#,
        r#"{"if": {"cond": c, "then": a, "else": {"if": {"cond": d, "then": b, "else": e}}}}"#,
        &[],
        Simplify,
    ),
    row(
        "cond-4",
        r#"{"cond": [[c, a], [d, b], [e, g], [true, h]]}"#,
        r#"{"if": {"cond": c, "then": a, "else": {"cond": [[d, b], [e, g], [true, h]]}}}"#,
        &[],
        Simplify,
    ),
    row(
        "if-lt-lte",
        r#"{"if": {"cond": {"lte": [a, b]}, "then": c, "else": d}}"#,
        r#"{"if": {"cond": {"lt": [b, a]}, "then": d, "else": c}}"#,
        &[Is("a", Data), Is("b", Data)],
        Simplify,
    ),
    row(
        "coalesce-3",
        r#"{"coalesce": [a, b, c]}"#,
        r#"{"coalesce": [a, {"coalesce": [b, c]}]}"#,
        &[],
        Simplify,
    ),
    row(
        "coalesce-coalesce",
        r#"{"coalesce": [{"coalesce": [a, b]}, c]}"#,
        r#"{"coalesce": [a, {"coalesce": [b, c]}]}"#,
        &[],
        Simplify,
    ),
    row("coalesce-null", r#"{"coalesce": [a, null]}"#, "a", &[], Simplify),
    row("coalesce-of-null", r#"{"coalesce": [null, a]}"#, "a", &[], Simplify),
    row("coalesce-same", r#"{"coalesce": [a, a]}"#, "a", &[], Simplify),
    row(
        "if-null",
        r#"{"if": {"cond": {"eq": [a, null]}, "then": b, "else": a}}"#,
        r#"{"coalesce": [a, b]}"#,
        &[Is("a", Data)],
        Simplify,
    ),
    row(
        "if-null-left",
        r#"{"if": {"cond": {"eq": [null, a]}, "then": b, "else": a}}"#,
        r#"{"coalesce": [a, b]}"#,
        &[Is("a", Data)],
        Simplify,
    ),
    row(
        "coalesce-get",
        r#"{"coalesce": [{"get": [a, k, null]}, b]}"#,
        r#"{"get": [a, k, b]}"#,
        &[Total("b")],
        Simplify,
    ),
    row(
        "coalesce-get-in",
        r#"{"coalesce": [{"get_in": [a, k, null]}, b]}"#,
        r#"{"get_in": [a, k, b]}"#,
        &[Total("b")],
        Simplify,
    ),
    row("pipe-1", r#"{"pipe": [a, f]}"#, "(f a)", &[], Simplify),
    row("pipe-2", r#"{"pipe": [a, f, g]}"#, r#"{"pipe": [(f a), g]}"#, &[], Simplify),
    // Numbers.
    row("add-swap", r#"{"add": [a, b]}"#, r#"{"add": [b, a]}"#, &[], Explore),
    row("mul-swap", r#"{"mul": [a, b]}"#, r#"{"mul": [b, a]}"#, &[], Explore),
    row(
        "plus-add",
        r#"{"plus": [a, b]}"#,
        r#"{"add": [a, b]}"#,
        &[Is("a", Number), Is("b", NoText)],
        Simplify,
    ),
    row(
        "plus-add-right",
        r#"{"plus": [a, b]}"#,
        r#"{"add": [a, b]}"#,
        &[Is("a", NoText), Is("b", Number)],
        Simplify,
    ),
    row("plus-3", r#"{"plus": [a, b, c]}"#, r#"{"plus": [{"plus": [a, b]}, c]}"#, &[], Simplify),
    row("add-3", r#"{"add": [a, b, c]}"#, r#"{"add": [{"add": [a, b]}, c]}"#, &[], Simplify),
    row("mul-3", r#"{"mul": [a, b, c]}"#, r#"{"mul": [{"mul": [a, b]}, c]}"#, &[], Simplify),
    row(
        "add-add",
        r#"{"add": [{"add": [a, b]}, c]}"#,
        r#"{"add": [a, {"add": [b, c]}]}"#,
        &[Is("a", Integer), Is("b", Integer), Is("c", Integer)],
        Simplify,
    ),
    row(
        "mul-mul",
        r#"{"mul": [{"mul": [a, b]}, c]}"#,
        r#"{"mul": [a, {"mul": [b, c]}]}"#,
        &[Is("a", Integer), Is("b", Integer), Is("c", Integer)],
        Simplify,
    ),
    row(
        "add-swap-2",
        r#"{"add": [a, {"add": [b, c]}]}"#,
        r#"{"add": [b, {"add": [a, c]}]}"#,
        &[Is("a", Integer), Is("b", Integer), Is("c", Integer)],
        Explore,
    ),
    row(
        "mul-swap-2",
        r#"{"mul": [a, {"mul": [b, c]}]}"#,
        r#"{"mul": [b, {"mul": [a, c]}]}"#,
        &[Is("a", Integer), Is("b", Integer), Is("c", Integer)],
        Explore,
    ),
    row(
        "mul-add",
        r#"{"mul": [a, {"add": [b, c]}]}"#,
        r#"{"add": [{"mul": [a, b]}, {"mul": [a, c]}]}"#,
        &[Is("a", Integer), Is("b", Integer), Is("c", Integer)],
        Simplify,
    ),
    row(
        "mul-add-left",
        r#"{"mul": [{"add": [b, c]}, a]}"#,
        r#"{"add": [{"mul": [b, a]}, {"mul": [c, a]}]}"#,
        &[Is("a", Integer), Is("b", Integer), Is("c", Integer)],
        Simplify,
    ),
    row(
        "sub-add",
        r#"{"sub": [a, b]}"#,
        r#"{"add": [a, {"mul": [-1, b]}]}"#,
        &[Is("a", Integer), Is("b", Integer)],
        Simplify,
    ),
    row("neg-mul", r#"{"neg": a}"#, r#"{"mul": [-1, a]}"#, &[Is("a", Integer)], Simplify),
    row("add-0", r#"{"add": [a, 0]}"#, "a", &[Is("a", Integer)], Simplify),
    row("add-0-left", r#"{"add": [0, a]}"#, "a", &[Is("a", Integer)], Simplify),
    row("mul-1", r#"{"mul": [a, 1]}"#, "a", &[Is("a", Number)], Simplify),
    row("mul-1-left", r#"{"mul": [1, a]}"#, "a", &[Is("a", Number)], Simplify),
    row("mul-0", r#"{"mul": [a, 0]}"#, "0", &[Total("a"), Is("a", Integer)], Simplify),
    row("mul-0-left", r#"{"mul": [0, a]}"#, "0", &[Total("a"), Is("a", Integer)], Simplify),
    row("sub-0", r#"{"sub": [a, 0]}"#, "a", &[Is("a", Number)], Simplify),
    row("neg-neg", r#"{"neg": {"neg": a}}"#, "a", &[Is("a", Number)], Simplify),
    row("add-same", r#"{"add": [a, a]}"#, r#"{"mul": [2, a]}"#, &[], Simplify),
    row(
        "add-times",
        r#"{"add": [a, {"mul": [b, a]}]}"#,
        r#"{"mul": [{"add": [1, b]}, a]}"#,
        &[Is("a", Integer), Is("b", Integer)],
        Explore,
    ),
    row(
        "add-minus",
        r#"{"add": [a, {"mul": [-1, a]}]}"#,
        "0",
        &[Total("a"), Is("a", Integer)],
        Simplify,
    ),
    row("pow-2", r#"{"pow": [a, 2]}"#, r#"{"mul": [a, a]}"#, &[Is("a", Integer)], Simplify),
    row(
        "if-min",
        r#"{"if": {"cond": {"lt": [a, b]}, "then": a, "else": b}}"#,
        r#"{"min": [b, a]}"#,
        &[Is("a", Number), Is("b", Number)],
        Simplify,
    ),
    row(
        "if-max",
        r#"{"if": {"cond": {"lt": [a, b]}, "then": b, "else": a}}"#,
        r#"{"max": [a, b]}"#,
        &[Is("a", Number), Is("b", Number)],
        Simplify,
    ),
    row(
        "min-swap",
        r#"{"min": [a, b]}"#,
        r#"{"min": [b, a]}"#,
        &[Is("a", Integer), Is("b", Integer)],
        Explore,
    ),
    row(
        "max-swap",
        r#"{"max": [a, b]}"#,
        r#"{"max": [b, a]}"#,
        &[Is("a", Integer), Is("b", Integer)],
        Explore,
    ),
    row("min-same", r#"{"min": [a, a]}"#, "a", &[Is("a", Number)], Simplify),
    row("max-same", r#"{"max": [a, a]}"#, "a", &[Is("a", Number)], Simplify),
    row("abs-abs", r#"{"abs": {"abs": a}}"#, r#"{"abs": a}"#, &[], Simplify),
    row("abs-neg", r#"{"abs": {"neg": a}}"#, r#"{"abs": a}"#, &[], Simplify),
    row("floor-integer", r#"{"floor": a}"#, "a", &[Is("a", Integer)], Simplify),
    row("ceil-integer", r#"{"ceil": a}"#, "a", &[Is("a", Integer)], Simplify),
    // Lists.
    row(
        "map-map",
        r#"{"map": [g, {"map": [f, l]}]}"#,
        r#"{"map": [{"lam": "x", "body": (g (f $x))}, l]}"#,
        &[Function("f", 1), Function("g", 1)],
        Simplify,
    ),
    row("map-same", r#"{"map": [{"lam": "x", "body": $x}, l]}"#, "l", &[Is("l", List)], Simplify),
    row(
        "filter-filter",
        r#"{"filter": [g, {"filter": [f, l]}]}"#,
        r#"{"filter": [{"lam": "x", "body": {"and": [(f $x), (g $x)]}}, l]}"#,
        &[Function("f", 1), Function("g", 1)],
        Simplify,
    ),
    row(
        "filter-map",
        r#"{"filter": [g, {"map": [f, l]}]}"#,
        r#"{"map": [f, {"filter": [{"lam": "x", "body": (g (f $x))}, l]}]}"#,
        &[Function("f", 1), Function("g", 1)],
        Simplify,
    ),
    row(
        "filter-true",
        r#"{"filter": [{"lam": "x", "body": true}, l]}"#,
        r#"{"map": [{"lam": "x", "body": $x}, l]}"#,
        &[],
        Simplify,
    ),
    row(
        "filter-false",
        r#"{"filter": [{"lam": "x", "body": false}, l]}"#,
        "[]",
        &[Total("l"), Is("l", List)],
        Simplify,
    ),
    row(
        "map-append",
        r#"{"map": [f, {"append": [a, b]}]}"#,
        r#"{"append": [{"map": [f, a]}, {"map": [f, b]}]}"#,
        &[Function("f", 1), Is("a", List), Is("b", List)],
        Simplify,
    ),
    row(
        "filter-append",
        r#"{"filter": [f, {"append": [a, b]}]}"#,
        r#"{"append": [{"filter": [f, a]}, {"filter": [f, b]}]}"#,
        &[Function("f", 1), Is("a", List), Is("b", List)],
        Simplify,
    ),
    row(
        "append-append",
        r#"{"append": [{"append": [a, b]}, c]}"#,
        r#"{"append": [a, {"append": [b, c]}]}"#,
        &[],
        Simplify,
    ),
    row("append-nothing", r#"{"append": [a, []]}"#, r#"{"elements": a}"#, &[], Simplify),
    row("append-to-nothing", r#"{"append": [[], a]}"#, r#"{"elements": a}"#, &[], Simplify),
    row("elements-list", r#"{"elements": a}"#, "a", &[Is("a", List)], Simplify),
    row(
        "elements-elements",
        r#"{"elements": {"elements": a}}"#,
        r#"{"elements": a}"#,
        &[],
        Simplify,
    ),
    row(
        "append-elements",
        r#"{"append": [{"elements": a}, b]}"#,
        r#"{"append": [a, b]}"#,
        &[],
        Simplify,
    ),
    row(
        "append-elements-right",
        r#"{"append": [a, {"elements": b}]}"#,
        r#"{"append": [a, b]}"#,
        &[],
        Simplify,
    ),
    row(
        "cons-append",
        r#"{"cons": {"head": a, "tail": b}}"#,
        r#"{"append": [[a], b]}"#,
        &[Is("b", List)],
        Explore,
    ),
    row(
        "flatten-2",
        r#"{"flatten": [[a, b]]}"#,
        r#"{"append": [a, b]}"#,
        &[Is("a", List), Is("b", List)],
        Simplify,
    ),
    row(
        "reverse-reverse",
        r#"{"reverse": {"reverse": l}}"#,
        r#"{"map": [{"lam": "x", "body": $x}, l]}"#,
        &[Is("l", ListOrText)],
        Simplify,
    ),
    row(
        "map-reverse",
        r#"{"map": [f, {"reverse": l}]}"#,
        r#"{"reverse": {"map": [f, l]}}"#,
        &[Function("f", 1)],
        Simplify,
    ),
    row(
        "filter-reverse",
        r#"{"filter": [f, {"reverse": l}]}"#,
        r#"{"reverse": {"filter": [f, l]}}"#,
        &[Function("f", 1)],
        Simplify,
    ),
    row(
        "reverse-append",
        r#"{"reverse": {"append": [a, b]}}"#,
        r#"{"append": [{"reverse": b}, {"reverse": a}]}"#,
        &[Is("a", List), Is("b", List)],
        Simplify,
    ),
    row(
        "sort-reverse-integers",
        r#"{"sort": [{"reverse": l}]}"#,
        r#"{"sort": [l]}"#,
        &[Is("l", Integers)],
        Simplify,
    ),
    row("sort-sort", r#"{"sort": [{"sort": [l]}]}"#, r#"{"sort": [l]}"#, &[], Simplify),
    row(
        "sort-by-same",
        r#"{"sort_by": [{"lam": "x", "body": $x}, l]}"#,
        r#"{"sort": [l]}"#,
        &[],
        Simplify,
    ),
    row(
        "distinct-distinct",
        r#"{"distinct": {"distinct": l}}"#,
        r#"{"distinct": l}"#,
        &[],
        Simplify,
    ),
    row(
        "distinct-by-same",
        r#"{"distinct_by": [{"lam": "x", "body": $x}, l]}"#,
        r#"{"distinct": l}"#,
        &[],
        Simplify,
    ),
    row(
        "flatten-map",
        r#"{"flatten": [{"map": [f, l]}]}"#,
        r#"{"flat_map": [f, l]}"#,
        &[Function("f", 1)],
        Simplify,
    ),
    row(
        "flat-map-one",
        r#"{"flat_map": [{"lam": "x", "body": [(f $x)]}, l]}"#,
        r#"{"map": [{"lam": "x", "body": (f $x)}, l]}"#,
        &[],
        Simplify,
    ),
    row(
        "flat-map-if",
        r#"{"flat_map": [{"lam": "x", "body": {"if": {"cond": (p $x), "then": [(f $x)], "else": []}}}, l]}"#,
        r#"{"map": [{"lam": "x", "body": (f $x)}, {"filter": [{"lam": "x", "body": (p $x)}, l]}]}"#,
        &[],
        Simplify,
    ),
    row(
        "flat-map-map",
        r#"{"flat_map": [g, {"map": [f, l]}]}"#,
        r#"{"flat_map": [{"lam": "x", "body": (g (f $x))}, l]}"#,
        &[Function("f", 1), Function("g", 1)],
        Simplify,
    ),
    row(
        "not-any",
        r#"{"not": {"any": [{"lam": "x", "body": (f $x)}, l]}}"#,
        r#"{"all": [{"lam": "x", "body": {"not": (f $x)}}, l]}"#,
        &[],
        Simplify,
    ),
    row(
        "not-all",
        r#"{"not": {"all": [{"lam": "x", "body": (f $x)}, l]}}"#,
        r#"{"any": [{"lam": "x", "body": {"not": (f $x)}}, l]}"#,
        &[],
        Simplify,
    ),
    row(
        "any-map",
        r#"{"any": [g, {"map": [f, l]}]}"#,
        r#"{"any": [{"lam": "x", "body": (g (f $x))}, l]}"#,
        &[Function("f", 1), Function("g", 1), TotalOn("f", "l")],
        Simplify,
    ),
    row(
        "all-map",
        r#"{"all": [g, {"map": [f, l]}]}"#,
        r#"{"all": [{"lam": "x", "body": (g (f $x))}, l]}"#,
        &[Function("f", 1), Function("g", 1), TotalOn("f", "l")],
        Simplify,
    ),
    row(
        "any-filter",
        r#"{"any": [g, {"filter": [f, l]}]}"#,
        r#"{"any": [{"lam": "x", "body": {"and": [(f $x), (g $x)]}}, l]}"#,
        &[Function("f", 1), Function("g", 1), TotalOn("f", "l"), GivesOn("f", "l", Boolean)],
        Simplify,
    ),
    row(
        "all-filter",
        r#"{"all": [g, {"filter": [f, l]}]}"#,
        r#"{"all": [{"lam": "x", "body": {"or": [{"not": (f $x)}, (g $x)]}}, l]}"#,
        &[Function("f", 1), Function("g", 1), TotalOn("f", "l"), GivesOn("f", "l", Boolean)],
        Simplify,
    ),
    row(
        "empty-filter",
        r#"{"isEmpty": {"filter": [{"lam": "x", "body": (f $x)}, l]}}"#,
        r#"{"all": [{"lam": "x", "body": {"not": (f $x)}}, l]}"#,
        &[Function("f", 1), TotalOn("f", "l"), GivesOn("f", "l", Boolean)],
        Simplify,
    ),
    row(
        "find-filter",
        r#"{"get": [{"filter": [f, l]}, 0, null]}"#,
        r#"{"find": [f, l]}"#,
        &[Function("f", 1), TotalOn("f", "l"), GivesOn("f", "l", Boolean)],
        Simplify,
    ),
    row(
        "length-empty",
        r#"{"eq": [{"length": l}, 0]}"#,
        r#"{"isEmpty": l}"#,
        &[Is("l", List)],
        Simplify,
    ),
    row(
        "length-empty-left",
        r#"{"eq": [0, {"length": l}]}"#,
        r#"{"isEmpty": l}"#,
        &[Is("l", List)],
        Simplify,
    ),
    row(
        "length-some",
        r#"{"lt": [0, {"length": l}]}"#,
        r#"{"not": {"isEmpty": l}}"#,
        &[Is("l", List)],
        Simplify,
    ),
    row(
        "length-one",
        r#"{"lte": [1, {"length": l}]}"#,
        r#"{"not": {"isEmpty": l}}"#,
        &[Is("l", List)],
        Simplify,
    ),
    row(
        "length-none",
        r#"{"lte": [{"length": l}, 0]}"#,
        r#"{"isEmpty": l}"#,
        &[Is("l", List)],
        Simplify,
    ),
    row(
        "length-less-one",
        r#"{"lt": [{"length": l}, 1]}"#,
        r#"{"isEmpty": l}"#,
        &[Is("l", List)],
        Simplify,
    ),
    row(
        "get-length",
        r#"{"get": [l, "length"]}"#,
        r#"{"length": l}"#,
        &[Is("l", ListOrText)],
        Simplify,
    ),
    row(
        "get-in-length",
        r#"{"get_in": [l, ["length"], null]}"#,
        r#"{"length": l}"#,
        &[Is("l", ListOrText)],
        Simplify,
    ),
    row(
        "length-map",
        r#"{"length": {"map": [f, l]}}"#,
        r#"{"length": l}"#,
        &[Is("l", List), Function("f", 1), TotalOn("f", "l")],
        Simplify,
    ),
    row(
        "empty-map",
        r#"{"isEmpty": {"map": [f, l]}}"#,
        r#"{"isEmpty": l}"#,
        &[Is("l", List), Function("f", 1), TotalOn("f", "l")],
        Simplify,
    ),
    row(
        "length-reverse",
        r#"{"length": {"reverse": l}}"#,
        r#"{"length": l}"#,
        &[Is("l", List)],
        Simplify,
    ),
    row(
        "length-append",
        r#"{"length": {"append": [a, b]}}"#,
        r#"{"add": [{"length": a}, {"length": b}]}"#,
        &[Is("a", List), Is("b", List)],
        Simplify,
    ),
    row(
        "length-concat",
        r#"{"length": {"concat": [a, b]}}"#,
        r#"{"add": [{"length": a}, {"length": b}]}"#,
        &[Is("a", Text), Is("b", Text)],
        Simplify,
    ),
    row(
        "length-chars",
        r#"{"length": {"chars": a}}"#,
        r#"{"length": a}"#,
        &[Is("a", Text)],
        Simplify,
    ),
    row(
        "length-values",
        r#"{"length": {"values": a}}"#,
        r#"{"length": {"keys": a}}"#,
        &[Is("a", Record)],
        Simplify,
    ),
    row(
        "length-entries",
        r#"{"length": {"entries": a}}"#,
        r#"{"length": {"keys": a}}"#,
        &[Is("a", Record)],
        Simplify,
    ),
    row(
        "values-entries",
        r#"{"map": [{"lam": "x", "body": {"get": [$x, 1, null]}}, {"entries": a}]}"#,
        r#"{"values": a}"#,
        &[Is("a", Record)],
        Simplify,
    ),
    row(
        "keys-entries",
        r#"{"map": [{"lam": "x", "body": {"get": [$x, 0, null]}}, {"entries": a}]}"#,
        r#"{"keys": a}"#,
        &[Is("a", Record)],
        Simplify,
    ),
    row("head-get", r#"{"head": l}"#, r#"{"get": [l, 0]}"#, &[Is("l", List)], Simplify),
    row("nth-get", r#"{"nth": [l, 0]}"#, r#"{"get": [l, 0]}"#, &[Is("l", List)], Simplify),
    row("slice-drop", r#"{"slice": [l, 1]}"#, r#"{"drop": [l, 1]}"#, &[Is("l", List)], Simplify),
    row(
        "drop-drop",
        r#"{"drop": [{"drop": [l, 1]}, 1]}"#,
        r#"{"drop": [l, 2]}"#,
        &[Is("l", List)],
        Simplify,
    ),
    row(
        "map-take",
        r#"{"take": [{"map": [f, l]}, n]}"#,
        r#"{"map": [f, {"take": [l, n]}]}"#,
        &[Is("l", List), Function("f", 1), TotalOn("f", "l")],
        Simplify,
    ),
    row(
        "map-drop",
        r#"{"drop": [{"map": [f, l]}, n]}"#,
        r#"{"map": [f, {"drop": [l, n]}]}"#,
        &[Is("l", List), Function("f", 1), TotalOn("f", "l")],
        Simplify,
    ),
    row("map-one", r#"{"map": [f, [a]]}"#, "[(f a)]", &[Function("f", 1)], Simplify),
    row("map-two", r#"{"map": [f, [a, b]]}"#, "[(f a), (f b)]", &[Function("f", 1)], Simplify),
    row("map-nothing", r#"{"map": [f, []]}"#, "[]", &[Function("f", 1)], Simplify),
    row("filter-nothing", r#"{"filter": [f, []]}"#, "[]", &[Function("f", 1)], Simplify),
    row(
        "contains-any",
        r#"{"any": [{"lam": "x", "body": {"eq": [$x, a]}}, l]}"#,
        r#"{"contains": [l, a]}"#,
        &[Is("l", List), Is("l", Data), Is("a", Data), Total("a")],
        Simplify,
    ),
    row(
        "contains-any-left",
        r#"{"any": [{"lam": "x", "body": {"eq": [a, $x]}}, l]}"#,
        r#"{"contains": [l, a]}"#,
        &[Is("l", List), Is("l", Data), Is("a", Data), Total("a")],
        Simplify,
    ),
    // Sums and folds.
    row(
        "sum-reverse",
        r#"{"sum": [{"reverse": l}]}"#,
        r#"{"sum": [l]}"#,
        &[Is("l", List)],
        Simplify,
    ),
    row(
        "sum-sort",
        r#"{"sum": [{"sort": [l]}]}"#,
        r#"{"sum": [l]}"#,
        &[Is("l", Integers)],
        Simplify,
    ),
    row(
        "product-reverse",
        r#"{"product": [{"reverse": l}]}"#,
        r#"{"product": [l]}"#,
        &[Is("l", Integers)],
        Simplify,
    ),
    row(
        "sum-append",
        r#"{"sum": [{"append": [a, b]}]}"#,
        r#"{"add": [{"sum": [a]}, {"sum": [b]}]}"#,
        &[Is("a", Integers), Is("b", Integers)],
        Simplify,
    ),
    row(
        "sum-reduce",
        r#"{"sum": [l]}"#,
        r#"{"reduce": [{"lam": ["s", "x"], "body": {"add": [$s, $x]}}, 0, l]}"#,
        &[Is("l", Integers)],
        Simplify,
    ),
    row(
        "product-reduce",
        r#"{"product": [l]}"#,
        r#"{"reduce": [{"lam": ["s", "x"], "body": {"mul": [$s, $x]}}, 1, l]}"#,
        &[Is("l", Integers)],
        Simplify,
    ),
    row(
        "fold-reduce",
        r#"{"fold": [f, i, l]}"#,
        r#"{"reduce": [{"lam": ["s", "x"], "body": (f {"pair": [$s, $x]})}, i, l]}"#,
        &[Function("f", 1)],
        Simplify,
    ),
    row("fst-pair", r#"{"fst": {"pair": [a, b]}}"#, "a", &[Total("b")], Simplify),
    row("snd-pair", r#"{"snd": {"pair": [a, b]}}"#, "b", &[Total("a")], Simplify),
    row(
        "reduce-map",
        r#"{"reduce": [{"lam": ["s", "x"], "body": (g $s $x)}, i, {"map": [f, l]}]}"#,
        r#"{"reduce": [{"lam": ["s", "x"], "body": (g $s (f $x))}, i, l]}"#,
        &[Function("f", 1), Function("g", 2)],
        Simplify,
    ),
    row(
        "reduce-filter",
        r#"{"reduce": [{"lam": ["s", "x"], "body": (g $s $x)}, i, {"filter": [f, l]}]}"#,
        r#"{"reduce": [{"lam": ["s", "x"], "body": {"if": {"cond": (f $x), "then": (g $s $x), "else": $s}}}, i, l]}"#,
        &[Function("f", 1), Function("g", 2)],
        Simplify,
    ),
    row(
        "reduce-append",
        r#"{"reduce": [f, i, {"append": [a, b]}]}"#,
        r#"{"reduce": [f, {"reduce": [f, i, a]}, b]}"#,
        &[Function("f", 2), Is("a", List), Is("b", List)],
        Simplify,
    ),
    row(
        "reduce-list",
        r#"{"reduce": [{"lam": ["s", "x"], "body": {"append": [$s, [(f $x)]]}}, [], l]}"#,
        r#"{"map": [{"lam": "x", "body": (f $x)}, l]}"#,
        &[],
        Simplify,
    ),
    row(
        "reduce-cons",
        r#"{"reduce": [{"lam": ["s", "x"], "body": {"cons": {"head": (f $x), "tail": $s}}}, [], l]}"#,
        r#"{"reverse": {"map": [{"lam": "x", "body": (f $x)}, l]}}"#,
        &[],
        Simplify,
    ),
    row(
        "reduce-cons-if",
        r#"{"reduce": [{"lam": ["s", "x"], "body": {"if": {"cond": (p $x), "then": {"cons": {"head": (f $x), "tail": $s}}, "else": $s}}}, [], l]}"#,
        r#"{"reverse": {"map": [{"lam": "x", "body": (f $x)}, {"filter": [{"lam": "x", "body": (p $x)}, l]}]}}"#,
        &[],
        Simplify,
    ),
    row(
        "reduce-cons-unless",
        r#"{"reduce": [{"lam": ["s", "x"], "body": {"if": {"cond": (p $x), "then": $s, "else": {"cons": {"head": (f $x), "tail": $s}}}}}, [], l]}"#,
        r#"{"reverse": {"map": [{"lam": "x", "body": (f $x)}, {"filter": [{"lam": "x", "body": {"not": (p $x)}}, l]}]}}"#,
        &[],
        Simplify,
    ),
    row(
        "length-filter",
        r#"{"length": {"filter": [{"lam": "x", "body": (f $x)}, l]}}"#,
        r#"{"reduce": [{"lam": ["s", "x"], "body": {"if": {"cond": (f $x), "then": {"add": [$s, 1]}, "else": $s}}}, 0, l]}"#,
        &[],
        Simplify,
    ),
    row(
        "count-length",
        r#"{"reduce": [{"lam": ["s", "x"], "body": {"add": [$s, 1]}}, 0, l]}"#,
        r#"{"length": l}"#,
        &[Is("l", List)],
        Simplify,
    ),
    row(
        "reduce-any",
        r#"{"reduce": [{"lam": ["s", "x"], "body": {"or": [$s, (f $x)]}}, false, l]}"#,
        r#"{"any": [{"lam": "x", "body": (f $x)}, l]}"#,
        &[Is("l", List)],
        Simplify,
    ),
    row(
        "reduce-all",
        r#"{"reduce": [{"lam": ["s", "x"], "body": {"and": [$s, (f $x)]}}, true, l]}"#,
        r#"{"all": [{"lam": "x", "body": (f $x)}, l]}"#,
        &[Is("l", List)],
        Simplify,
    ),
    // Texts.
    row(
        "concat-3",
        r#"{"concat": [a, b, c]}"#,
        r#"{"concat": [a, {"concat": [b, c]}]}"#,
        &[],
        Simplify,
    ),
    row(
        "concat-4",
        r#"{"concat": [a, b, c, d]}"#,
        r#"{"concat": [a, {"concat": [b, c, d]}]}"#,
        &[],
        Simplify,
    ),
    row(
        "concat-concat",
        r#"{"concat": [{"concat": [a, b]}, c]}"#,
        r#"{"concat": [a, {"concat": [b, c]}]}"#,
        &[],
        Simplify,
    ),
    row("concat-nothing", r#"{"concat": [a, ""]}"#, "a", &[Is("a", Text)], Simplify),
    row("concat-to-nothing", r#"{"concat": ["", a]}"#, "a", &[Is("a", Text)], Simplify),
    row("as-text-text", r#"{"as_text": a}"#, "a", &[Is("a", Text)], Simplify),
    row(
        "plus-text",
        r#"{"plus": [a, b]}"#,
        r#"{"concat": [{"as_text": a}, {"as_text": b}]}"#,
        &[Is("a", Text)],
        Simplify,
    ),
    row(
        "plus-text-right",
        r#"{"plus": [a, b]}"#,
        r#"{"concat": [{"as_text": a}, {"as_text": b}]}"#,
        &[Is("b", Text)],
        Simplify,
    ),
    row("upper-upper", r#"{"upper": {"upper": a}}"#, r#"{"upper": a}"#, &[], Simplify),
    row("trim-trim", r#"{"trim": {"trim": a}}"#, r#"{"trim": a}"#, &[], Simplify),
    row(
        "upper-concat",
        r#"{"upper": {"concat": [a, b]}}"#,
        r#"{"concat": [{"upper": a}, {"upper": b}]}"#,
        &[],
        Explore,
    ),
    row("join-nothing", r#"{"join": [{"chars": a}, ""]}"#, "a", &[Is("a", Text)], Simplify),
    row(
        "text-empty",
        r#"{"eq": [{"length": a}, 0]}"#,
        r#"{"eq": [a, ""]}"#,
        &[Is("a", Text)],
        Explore,
    ),
    // Records.
    row(
        "get-put",
        r#"{"get": [{"put": [a, k, b]}, k]}"#,
        "b",
        &[Total("a"), Is("a", Record), Total("k"), Is("k", Text)],
        Simplify,
    ),
    row("get-in-one", r#"{"get_in": [a, [k]]}"#, r#"{"get": [a, k]}"#, &[Is("k", Text)], Simplify),
    row(
        "get-in-two",
        r#"{"get_in": [a, [k, j]]}"#,
        r#"{"get": [{"get": [a, k]}, j]}"#,
        &[Is("k", Text), Is("j", Text)],
        Simplify,
    ),
    row(
        "get-in-three",
        r#"{"get_in": [a, [k, j, i]]}"#,
        r#"{"get": [{"get": [{"get": [a, k]}, j]}, i]}"#,
        &[Is("k", Text), Is("j", Text), Is("i", Text)],
        Simplify,
    ),
    row(
        "get-in-one-default",
        r#"{"get_in": [a, [k], d]}"#,
        r#"{"get": [a, k, d]}"#,
        &[Is("a", Data), Is("k", Text)],
        Simplify,
    ),
    row(
        "get-in-two-default",
        r#"{"get_in": [a, [k, j], null]}"#,
        r#"{"get": [{"get": [a, k, null]}, j, null]}"#,
        &[Is("a", Data), Is("k", Text), Is("j", Text)],
        Simplify,
    ),
    row("merge-nothing", r#"{"merge": [a, {"record": {}}]}"#, "a", &[Is("a", Record)], Simplify),
    row("merge-to-nothing", r#"{"merge": [{"record": {}}, a]}"#, "a", &[Is("a", Record)], Simplify),
    row(
        "merge-merge",
        r#"{"merge": [{"merge": [a, b]}, c]}"#,
        r#"{"merge": [a, {"merge": [b, c]}]}"#,
        &[Is("a", Record), Is("b", Record), Is("c", Record)],
        Simplify,
    ),
    row(
        "put-put",
        r#"{"put": [{"put": [a, k, b]}, k, c]}"#,
        r#"{"put": [a, k, c]}"#,
        &[Is("a", Record), Total("b")],
        Simplify,
    ),
    row("from-entries", r#"{"from_entries": {"entries": a}}"#, "a", &[Is("a", Record)], Simplify),
    row(
        "mul-get-default",
        r#"{"mul": [{"get": [a, k, null]}, b]}"#,
        r#"{"mul": [{"get": [a, k]}, b]}"#,
        &[],
        Simplify,
    ),
    row(
        "mul-get-default-right",
        r#"{"mul": [b, {"get": [a, k, null]}]}"#,
        r#"{"mul": [b, {"get": [a, k]}]}"#,
        &[],
        Simplify,
    ),
    row(
        "add-get-default",
        r#"{"add": [{"get": [a, k, null]}, b]}"#,
        r#"{"add": [{"get": [a, k]}, b]}"#,
        &[],
        Simplify,
    ),
    row(
        "add-get-default-right",
        r#"{"add": [b, {"get": [a, k, null]}]}"#,
        r#"{"add": [b, {"get": [a, k]}]}"#,
        &[],
        Simplify,
    ),
    row(
        "sub-get-default",
        r#"{"sub": [{"get": [a, k, null]}, b]}"#,
        r#"{"sub": [{"get": [a, k]}, b]}"#,
        &[],
        Simplify,
    ),
    row(
        "sub-get-default-right",
        r#"{"sub": [b, {"get": [a, k, null]}]}"#,
        r#"{"sub": [b, {"get": [a, k]}]}"#,
        &[],
        Simplify,
    ),
    row(
        "upper-get-default",
        r#"{"upper": {"get": [a, k, null]}}"#,
        r#"{"upper": {"get": [a, k]}}"#,
        &[],
        Simplify,
    ),
    row(
        "type-of-pair",
        r#"{"eq": [{"type_of": a}, "pair"]}"#,
        "true",
        &[Total("a"), Is("a", Pair)],
        Simplify,
    ),
    row(
        "sort-with-integers",
        r#"{"sort_with": [{"lam": ["x", "y"], "body": {"sub": [$x, $y]}}, l]}"#,
        r#"{"sort": [l]}"#,
        &[Is("l", Integers)],
        Simplify,
    ),
    row(
        "sort-with-down",
        r#"{"sort_with": [{"lam": ["x", "y"], "body": {"sub": [$y, $x]}}, l]}"#,
        r#"{"reverse": {"sort": [l]}}"#,
        &[Is("l", Integers)],
        Simplify,
    ),
];
