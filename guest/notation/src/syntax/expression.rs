//! Expressions: pipes, assignments, choices, and operators between operands.

use crate::ast::{Binary, ExprId, PatternId, Target, Unary, What};
use crate::syntax::lexer::{Kind, Token};
use crate::syntax::operator::{ASSIGNMENTS, INFIX, Infix, MIXED, NULLISH, POWER};
use crate::syntax::parser::{Around, Parser, Read, Reader};
use pif_core::stack::Answer;

/// An operator that waits for its operand.
pub(super) enum Pending {
    Prefix { prefix: Prefix, start: u32 },
    Infix { left: ExprId, start: u32, row: &'static Infix },
}

/// A prefix of an operand.
#[derive(Clone, Copy, Debug)]
pub(super) enum Prefix {
    Unary(Unary),
    /// `++`, or `--`.
    Update(bool),
    Await,
}

impl Reader<'_, '_> {
    /// Reads an expression without commas.
    pub(super) fn value(&self, around: Around) -> Answer<Read<ExprId>> {
        self.stack.call(self.clone().read_value(around))
    }

    /// Reads expressions with commas between them, of which the last is the value.
    pub(super) async fn sequence(&self, around: Around) -> Read<ExprId> {
        let start = self.token(0).start;
        let first = self.value(around).await?;
        if !self.is(0, ",") {
            return Ok(first);
        }
        let mut all = vec![first];
        while self.take(",") {
            all.push(self.value(around).await?);
        }
        Ok(self.add(What::Sequence(all), start))
    }

    async fn read_value(self, around: Around) -> Read<ExprId> {
        let start = self.token(0).start;
        let first = self.single(around).await?;
        if around.is_single || !self.is(0, "|>") {
            return Ok(first);
        }
        let mut parts = vec![first];
        let part = Around { in_pipe: true, is_single: true, ..around };
        while self.take("|>") {
            parts.push(self.value(part).await?);
        }
        Ok(self.add(What::Pipe(parts), start))
    }

    /// An expression without commas and pipes.
    async fn single(&self, around: Around) -> Read<ExprId> {
        if self.is_arrow() {
            let function = self.arrow(around).await?;
            return Ok(function);
        }
        let start = self.token(0).start;
        let target = if self.is_pattern_assigned() {
            self.pattern(true).await?
        } else {
            let value = self.operation(around).await?;
            if self.is(0, "?") {
                return self.choice(value, start, around).await;
            }
            if !self.is_assignment() {
                return Ok(value);
            }
            self.target(value, self.token(0))?
        };
        let operator = self.assignment();
        let inner = Around { is_single: around.in_pipe, ..around };
        let value = self.value(inner).await?;
        Ok(self.add(What::Assign { target, operator, value }, start))
    }

    /// `? then : otherwise`
    async fn choice(&self, test: ExprId, start: u32, around: Around) -> Read<ExprId> {
        self.pass(1);
        let then = self.value(Around::default()).await?;
        if !self.take(":") {
            return self.wrong(
                self.token(0).start,
                "a `:` is missing after `?`",
                "write c ? a : b",
            );
        }
        let otherwise = self.value(Around { is_single: true, ..around }).await?;
        Ok(self.add(What::Conditional { test, then, otherwise }, start))
    }

    /// Operands with operators between and before them.
    async fn operation(&self, around: Around) -> Read<ExprId> {
        let mut pending = Vec::new();
        loop {
            self.prefixes(&mut pending);
            let start = self.token(0).start;
            let operand = self.operand().await?;
            if let Some(value) = self.operators(&mut pending, (operand, start), around)? {
                return Ok(value);
            }
        }
    }
}

impl Parser<'_> {
    /// Tells whether `[a, b] =` or `{a, b} =` begins here.
    fn is_pattern_assigned(&self) -> bool {
        (self.is(0, "[") || self.is(0, "{")) && self.is_at(self.behind(0), "=")
    }

    fn is_assignment(&self) -> bool {
        let token = self.token(0);
        let mark = self.spelling(token);
        token.kind == Kind::Mark && ASSIGNMENTS.iter().any(|row| row.0 == mark)
    }

    /// Passes the mark of an assignment.
    fn assignment(&self) -> Option<Binary> {
        let mark = self.spelling(self.token(0));
        self.pass(1);
        ASSIGNMENTS.iter().find(|row| row.0 == mark)?.1
    }

    /// An expression as what is assigned to by a mark.
    pub(super) fn target(&self, id: ExprId, mark: Token) -> Read<PatternId> {
        let (target, span) = self.look(id, |expr| {
            let target = match &expr.what {
                What::Name(name) => Some(Target::Name(name)),
                What::Member { is_optional: false, .. }
                | What::Index { is_optional: false, .. } => Some(Target::Path(id)),
                _ => None,
            };
            (target, expr.span)
        });
        match target {
            Some(target) => Ok(self.ast.borrow_mut().add_pattern(target, span)),
            None => self.no_target(mark),
        }
    }

    /// Passes the marks and words before an operand.
    fn prefixes(&self, pending: &mut Vec<Pending>) {
        loop {
            let token = self.token(0);
            if !matches!(token.kind, Kind::Mark | Kind::Name) {
                return;
            }
            let prefix = match self.spelling(token) {
                "!" => Prefix::Unary(Unary::Not),
                "-" => Prefix::Unary(Unary::Minus),
                "+" if !self.is_lisp() => Prefix::Unary(Unary::Plus),
                "~" => Prefix::Unary(Unary::BitNot),
                "typeof" => Prefix::Unary(Unary::Typeof),
                "void" => Prefix::Unary(Unary::Void),
                "delete" => Prefix::Unary(Unary::Delete),
                "++" => Prefix::Update(true),
                "--" => Prefix::Update(false),
                "await" => Prefix::Await,
                _ => return,
            };
            pending.push(Pending::Prefix { prefix, start: token.start });
            self.pass(1);
        }
    }

    /// Ends what binds more tightly than the next operator, and passes that; the value if there is
    /// no operator.
    fn operators(
        &self,
        pending: &mut Vec<Pending>,
        (mut value, mut start): (ExprId, u32),
        around: Around,
    ) -> Read<Option<ExprId>> {
        let token = self.token(0);
        let row = self.infix(around);
        let precedence = row.map_or(0, |row| row.precedence);
        let is_sign = |it: &Pending| match it {
            Pending::Prefix { prefix, .. } => !matches!(prefix, Prefix::Update(_)),
            Pending::Infix { .. } => false,
        };
        if precedence == POWER && pending.last().is_some_and(is_sign) {
            let hint = "write (-x) ** 2 or -(x ** 2)";
            return self.wrong(token.start, "a sign before a power needs parentheses", hint);
        }
        while let Some(last) = pending.pop() {
            match last {
                Pending::Prefix { prefix, start: begin } => {
                    value = self.prefixed(prefix, value, begin)?;
                    start = begin;
                }
                Pending::Infix { row, .. }
                    if row.precedence < precedence
                        || row.precedence == precedence && precedence == POWER =>
                {
                    pending.push(last);
                    break;
                }
                Pending::Infix { left, start: begin, row } => {
                    self.check_mixed(row, [left, value])?;
                    let what = What::Binary { operator: row.operator, left, right: value };
                    (value, start) = (self.add(what, begin), begin);
                }
            }
        }
        let Some(row) = row else { return Ok(Some(value)) };
        if row.is_single {
            self.check_single(row, value)?;
        }
        pending.push(Pending::Infix { left: value, start, row });
        self.pass(1);
        Ok(None)
    }

    fn infix(&self, around: Around) -> Option<&'static Infix> {
        let token = self.token(0);
        if !matches!(token.kind, Kind::Mark | Kind::Name) {
            return None;
        }
        let mark = self.spelling(token);
        let row = INFIX.iter().find(|row| row.mark == mark)?;
        (!(around.without_in && mark == "in")).then_some(row)
    }

    fn prefixed(&self, prefix: Prefix, operand: ExprId, start: u32) -> Read<ExprId> {
        let what = match prefix {
            Prefix::Await => What::Await(operand),
            Prefix::Update(increases) => {
                let mark = Token { kind: Kind::Mark, start, end: start + 2, ..self.token(0) };
                What::Update { target: self.target(operand, mark)?, increases, is_prefix: true }
            }
            Prefix::Unary(Unary::Void)
                if self.look(operand, |it| matches!(it.what, What::Number(_))) =>
            {
                What::Null
            }
            Prefix::Unary(operator) => What::Unary { operator, operand },
        };
        Ok(self.add(what, start))
    }

    /// `a < b < c` does not mean what it looks like.
    fn check_single(&self, row: &Infix, left: ExprId) -> Read<()> {
        let is_chain = self.look(left, |it| match it.what {
            What::Binary { operator, .. } if !it.in_parentheses => INFIX.iter().any(|other| {
                other.operator == operator && other.precedence == row.precedence && other.is_single
            }),
            _ => false,
        });
        if !is_chain {
            return Ok(());
        }
        let hint = match row.operator {
            Binary::Eq | Binary::NotEq => "write a == b && b == c, or (a == b) == c",
            _ => "write a < b && b < c",
        };
        let message = format!("`{}` stands between two operands, not three", row.mark);
        self.wrong(self.token(0).start, &message, hint)
    }

    /// `??` does not mix with `&&` and `||` without parentheses.
    fn check_mixed(&self, row: &Infix, operands: [ExprId; 2]) -> Read<()> {
        let others = match row.operator {
            Binary::Nullish => MIXED,
            Binary::And | Binary::Or => NULLISH,
            _ => return Ok(()),
        };
        for id in operands {
            let (is_mixed, at) = self.look(id, |it| match it.what {
                What::Binary { operator, .. } if !it.in_parentheses => {
                    (others.contains(&operator), it.span.0)
                }
                _ => (false, 0),
            });
            if is_mixed {
                let hint = "write (a ?? b) || c or a ?? (b || c)";
                return self.wrong(at, "`??` does not mix with `&&` and `||`", hint);
            }
        }
        Ok(())
    }
}
