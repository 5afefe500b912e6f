//! What a form says of types: which it takes, and which its value has. The analyst reads it.

use crate::kinds::{BOOLEAN, FLOAT, INTEGER, Kinds, LIST, MAP, NULL, NUMBER, REGEX, SET, STRING};

/// The rule of a form.
#[derive(Clone, Copy, Debug)]
pub enum Rule {
    /// Nobody has written one: such a row does not compile.
    Missing,
    /// The analyst has a function for the form, since types alone do not say all. These say to people
    /// what they can.
    Own {
        /// The types of its operands, for its usual operands. The last is for all that follow.
        takes: &'static [Type],
        /// The type of its value.
        gives: Type,
    },
    /// A form is a function of all its operands.
    Signature {
        /// The types of its operands. The last is for all that follow.
        takes: &'static [Type],
        /// The type of its value.
        gives: Type,
    },
}

/// A type within a rule.
#[derive(Clone, Copy, Debug)]
pub enum Type {
    /// Any value. As an operand it is not looked at.
    Any,
    /// Any value that is looked at, with all its parts.
    Deep,
    /// A value of these kinds, whose parts are not known.
    Of(Kinds),
    /// As the type, and null, which counts as not looked at.
    Maybe(&'static Type),
    /// The first variable: an operand binds it.
    A,
    /// The second variable.
    B,
    /// A list.
    List(&'static Type),
    /// Whatever can be gone through as a list: a list, a text, a set, a map, or null.
    Iterable(&'static Type),
    /// A list of so many.
    Tuple(&'static [Type]),
    /// A record with just these members.
    Record(&'static [(&'static str, Type)]),
    /// A record with values of a type under any keys.
    Dictionary(&'static Type),
    /// One of several types.
    Or(&'static [Type]),
    /// Some of the values that there are, and not surely all.
    Some(&'static Type),
    /// A function. The form applies it to each value of a variable.
    Function(&'static [Type], &'static Type),
    /// An integer if the numbers among the operands are integers, else a float, or either.
    Numeric,
    /// The type for one operand, and that for more.
    Counted(&'static Type, &'static Type),
}

/// A number.
pub const NUM: Type = Type::Of(NUMBER);
/// An integer.
pub const INT: Type = Type::Of(INTEGER);
/// A float.
pub const FLT: Type = Type::Of(FLOAT);
/// A text.
pub const TXT: Type = Type::Of(STRING);
/// A boolean.
pub const BOOL: Type = Type::Of(BOOLEAN);
/// A number, or null in its place.
pub const MAYBE_NUM: Type = Type::Maybe(&NUM);
/// A list of numbers, among which nulls are skipped.
pub const NUMS: Type = Type::List(&MAYBE_NUM);
/// A text or null.
pub const TXT_OR_NULL: Type = Type::Of(STRING | NULL);
/// A list of texts.
pub const TXTS: Type = Type::List(&TXT);
/// A list of texts and nulls.
pub const GROUPS: Type = Type::List(&TXT_OR_NULL);
/// A list.
pub const LIST_A: Type = Type::List(&Type::A);
/// A list of some of the elements.
pub const SOME_A: Type = Type::List(&Type::Some(&Type::A));
/// What has a length.
pub const SIZED: Type = Type::Of(LIST | STRING | MAP | SET);
/// A list, a map or a set.
pub const GATHERED: Type = Type::Of(LIST | MAP | SET);
/// A function that tells whether an element is meant.
pub const TEST: Type = Type::Function(&[Type::A], &BOOL);
/// A function that gives the key of an element.
pub const KEY: Type = Type::Function(&[Type::A], &Type::B);
/// What can be searched for a pattern.
pub const PATTERNED: Type = TXT;
/// A pattern: a text or a regular expression.
pub const PATTERN: Type = Type::Of(STRING | REGEX);
/// Parts of a text. With groups of a pattern that take no part, nulls are among them.
pub const SPLIT: Type = GROUPS;
/// The parts of a date.
pub const DATE_PARTS: Type = Type::Record(&[
    ("year", INT),
    ("month", INT),
    ("day", INT),
    ("hour", INT),
    ("minute", INT),
    ("second", INT),
    ("weekday", INT),
    ("day_of_year", INT),
]);
/// No value.
pub const NEVER: Type = Type::Or(&[]);
/// Null.
pub const NOTHING: Type = Type::Of(NULL);
/// What is compared by its order.
pub const NUM_OR_TXT: Type = Type::Of(NUMBER | STRING);
/// A pair, or a list of two.
pub const PAIR_AB: Type = Type::Tuple(&[Type::A, Type::B]);
/// A record with values of one type.
pub const RECORD_A: Type = Type::Dictionary(&Type::A);
/// What has members: a record, or a list with its elements.
pub const MEMBERS_A: Type = Type::Or(&[RECORD_A, LIST_A]);
/// A text, or a list.
pub const TEXT_OR_LIST: Type = Type::Or(&[TXT, LIST_A]);
/// What may be part of a text or a list.
pub const PART: Type = Type::Or(&[TXT, Type::A]);
/// The key of a member, or the index of an element.
pub const INDEX: Type = Type::Of(STRING | INTEGER);
/// The way to a part of a value.
pub const PATH: Type = Type::List(&INDEX);
/// What the handler of a `try` gets, in the main.
pub const FAULT: Type = Type::Record(&[("code", TXT), ("message", TXT), ("value", Type::Any)]);
