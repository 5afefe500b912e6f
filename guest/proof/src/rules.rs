//! The rules as data: pairs of terms with variables, and what must hold of what these stand for.
//!
//! The sides are read as `pif_language::example` reads syntax: a bare word is a variable. Besides, `$x` is
//! a variable that the rule itself binds, and `(f t)` is the application of `f` to `t`.

use crate::facts::PLAIN;
use crate::term::{Name, Term, read};
use crate::types::Type;
use pif_language::example;
use pif_language::kinds::{BOOLEAN, INTEGER, LIST, NUMBER, PAIR, RECORD, SCALAR, STRING};
use pif_language::print;
use std::sync::LazyLock;

/// What a rule asks of what its variables stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// It is a function, written out, of so many parameters.
    Function(Name, usize),
    /// It surely has a value.
    Total(Name),
    /// The first surely has a value if the second has one.
    TotalAfter(Name, Name),
    /// Whenever it has a value, it is one of these.
    Is(Name, Wanted),
    /// A function surely has a value for each element of a list.
    TotalOn(Name, Name),
    /// Whenever a function has a value for an element of a list, it is one of these.
    GivesOn(Name, Name, Wanted),
}

/// A type that a rule asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Wanted {
    Boolean,
    Integer,
    Number,
    Text,
    Scalar,
    NoText,
    List,
    ListOrText,
    Integers,
    Record,
    Pair,
    Data,
}

impl Wanted {
    fn of(word: &str) -> Option<Self> {
        Some(match word {
            "boolean" => Self::Boolean,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "text" => Self::Text,
            "scalar" => Self::Scalar,
            "no-text" => Self::NoText,
            "list" => Self::List,
            "list-or-text" => Self::ListOrText,
            "integers" => Self::Integers,
            "record" => Self::Record,
            "pair" => Self::Pair,
            "data" => Self::Data,
            _ => return None,
        })
    }

    /// The type.
    #[must_use]
    pub fn as_type(self) -> Type {
        match self {
            Self::Boolean => Type::of(BOOLEAN),
            Self::Integer => Type::of(INTEGER),
            Self::Number => Type::of(NUMBER),
            Self::Text => Type::of(STRING),
            Self::Scalar => Type::of(SCALAR),
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
    /// Where it puts what can be swapped in order; and as those to explore.
    Order,
    /// In both directions, where simplifying does not suffice.
    Explore,
}

/// A rule, read.
#[derive(Debug)]
pub struct Rule {
    /// Its name.
    pub name: String,
    /// The left side.
    pub left: Term,
    /// The right side.
    pub right: Term,
    /// Its variables.
    pub variables: Vec<Name>,
    /// What it asks of them.
    pub conditions: Vec<Condition>,
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

/// The table.
const TABLE: &str = include_str!("rules.txt");

/// All rules.
pub static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| lines().filter_map(compile).collect());

/// The rule of a name.
#[must_use]
pub fn rule(name: &str) -> Option<&'static Rule> {
    RULES.iter().find(|it| it.name == name)
}

/// The lines of the table. One that cannot be read is no rule.
pub fn lines() -> impl Iterator<Item = &'static str> {
    TABLE.lines().filter(|it| !it.is_empty() && !it.starts_with('#'))
}

fn compile(line: &str) -> Option<Rule> {
    let (name, rest) = line.split_once(": ")?;
    let (sides, conditions) = rest.split_once("  if ").unwrap_or((rest, ""));
    let (left, right) = sides.split_once(" = ")?;
    let (usage, name) = match name.strip_prefix("~ ") {
        Some(name) => (Use::Explore, name),
        None => match name.strip_prefix("% ") {
            Some(name) => (Use::Order, name),
            None => (Use::Simplify, name),
        },
    };
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
    let (left, right) = (side(left)?, side(right)?);
    let conditions = conditions.split(", ").filter(|it| !it.is_empty()).map(condition);
    let conditions = conditions.collect::<Option<Vec<_>>>()?;
    Some(Rule { name: name.to_owned(), left, right, variables, conditions, usage })
}

fn condition(text: &str) -> Option<Condition> {
    let words: Vec<&str> = text.split(' ').collect();
    let name = |word: &str| Name::from(word);
    Some(match words[..] {
        [f, "function", count] => Condition::Function(name(f), count.parse().ok()?),
        [t, "total"] => Condition::Total(name(t)),
        [t, "total-after", first] => Condition::TotalAfter(name(t), name(first)),
        [t, "is", wanted] => Condition::Is(name(t), Wanted::of(wanted)?),
        [f, "total-on", list] => Condition::TotalOn(name(f), name(list)),
        [f, "gives", wanted, "on", list] => {
            Condition::GivesOn(name(f), name(list), Wanted::of(wanted)?)
        }
        _ => return None,
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

#[cfg(test)]
mod tests {
    use super::{RULES, compile, lines};

    #[test]
    fn each_line_is_a_rule_of_its_own_name() {
        for line in lines() {
            assert!(compile(line).is_some(), "{line}");
        }
        let mut names: Vec<&str> = RULES.iter().map(|it| it.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), lines().count());
    }
}
