//! The operators between two operands, and those of assignments.

use crate::ast::Binary;

/// An operator between two operands.
#[derive(Debug)]
pub(crate) struct Infix {
    pub(crate) mark: &'static str,
    /// How tightly it binds.
    pub(super) precedence: u8,
    pub(super) operator: Binary,
    /// Whether `a < b < c` is refused.
    pub(super) is_single: bool,
}

/// The precedence of `**`, which binds from the right.
pub(super) const POWER: u8 = 12;
/// The operators that `??` does not mix with.
pub(super) const MIXED: &[Binary] = &[Binary::And, Binary::Or];
pub(super) const NULLISH: &[Binary] = &[Binary::Nullish];

pub(crate) const INFIX: [Infix; 25] = {
    const fn row(mark: &'static str, precedence: u8, operator: Binary) -> Infix {
        Infix { mark, precedence, operator, is_single: false }
    }
    const fn single(mark: &'static str, precedence: u8, operator: Binary) -> Infix {
        Infix { mark, precedence, operator, is_single: true }
    }
    [
        row("??", 1, Binary::Nullish),
        row("||", 2, Binary::Or),
        row("&&", 3, Binary::And),
        row("|", 4, Binary::BitOr),
        row("^", 5, Binary::BitXor),
        row("&", 6, Binary::BitAnd),
        single("===", 7, Binary::Eq),
        single("!==", 7, Binary::NotEq),
        single("==", 7, Binary::Eq),
        single("!=", 7, Binary::NotEq),
        single("<", 8, Binary::Lt),
        single("<=", 8, Binary::Lte),
        single(">", 8, Binary::Gt),
        single(">=", 8, Binary::Gte),
        row("in", 8, Binary::In),
        row("instanceof", 8, Binary::Instanceof),
        row("<<", 9, Binary::ShiftLeft),
        row(">>", 9, Binary::ShiftRight),
        row(">>>", 9, Binary::ShiftRightUnsigned),
        row("+", 10, Binary::Add),
        row("-", 10, Binary::Sub),
        row("*", 11, Binary::Mul),
        row("/", 11, Binary::Div),
        row("%", 11, Binary::Rem),
        row("**", POWER, Binary::Pow),
    ]
};

/// The marks of assignments, with the operator before the `=`.
pub(crate) const ASSIGNMENTS: [(&str, Option<Binary>); 16] = [
    ("=", None),
    ("+=", Some(Binary::Add)),
    ("-=", Some(Binary::Sub)),
    ("*=", Some(Binary::Mul)),
    ("/=", Some(Binary::Div)),
    ("%=", Some(Binary::Rem)),
    ("**=", Some(Binary::Pow)),
    ("??=", Some(Binary::Nullish)),
    ("||=", Some(Binary::Or)),
    ("&&=", Some(Binary::And)),
    ("<<=", Some(Binary::ShiftLeft)),
    (">>=", Some(Binary::ShiftRight)),
    (">>>=", Some(Binary::ShiftRightUnsigned)),
    ("&=", Some(Binary::BitAnd)),
    ("|=", Some(Binary::BitOr)),
    ("^=", Some(Binary::BitXor)),
];
