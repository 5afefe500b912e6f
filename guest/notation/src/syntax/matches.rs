//! `while ((m = re.exec(s)) !== null) { … }`: a regular expression has no place here at which it
//! goes on, so the loop is read as one over all matches.

use crate::ast::{Binary, ExprId, Item, PatternId, Statement, StmtId, Target, What};
use crate::syntax::parser::Reader;

impl Reader<'_, '_> {
    /// The loop over all matches that a `while` is, unless its body, whose first expression is
    /// `from`, names the regular expression or assigns to the text.
    pub(super) fn loop_over_matches(
        &self,
        test: ExprId,
        body: StmtId,
        from: usize,
        start: u32,
    ) -> Option<StmtId> {
        let (target, regex, text, call) = self.exec_in(test)?;
        let name = |id: ExprId| match self.ast.borrow().expr(id).what {
            What::Name(name) => Some(name),
            _ => None,
        };
        let (regex_name, text_name) = (name(regex)?, name(text));
        let is_kept = self.ast.borrow().exprs.iter().skip(from).all(|expr| match &expr.what {
            What::Name(name) => *name != regex_name,
            What::Assign { target, .. } | What::Update { target, .. } => {
                !matches!(self.ast.borrow().pattern(*target).what,
                    Target::Name(name) if Some(name) == text_name)
            }
            _ => true,
        });
        if !is_kept {
            return None;
        }
        let span = self.since(start);
        let mut ast = self.ast.borrow_mut();
        let at = ast.expr(call).span;
        let what =
            What::Member { object: text, name: "matchAll", name_at: at.0, is_optional: false };
        let callee = ast.add_expr(what, at);
        let arguments = vec![Item { value: regex, is_spread: false }];
        let list = ast.add_expr(What::Call { callee, arguments, is_optional: false }, at);
        let over = ast.add_stmt(Statement::ForOf { kind: None, pattern: target, list, body }, span);
        // Behind the loop there is no match.
        let Target::Name(name) = ast.pattern(target).what else { return None };
        let end = (span.1.saturating_sub(1), span.1);
        let target = ast.add_pattern(Target::Name(name), end);
        let value = ast.add_expr(What::Null, end);
        let done = ast.add_expr(What::Assign { target, operator: None, value }, end);
        let done = ast.add_stmt(Statement::Expression(done), end);
        Some(ast.add_stmt(Statement::Block(vec![over, done]), span))
    }

    /// The target, the regular expression, the text and the call in `m = re.exec(s)`.
    fn exec_in(&self, test: ExprId) -> Option<(PatternId, ExprId, ExprId, ExprId)> {
        let ast = self.ast.borrow();
        let assigned = match ast.expr(test).what {
            What::Binary { operator: Binary::NotEq, left, right }
                if matches!(ast.expr(right).what, What::Null) =>
            {
                left
            }
            _ => test,
        };
        let What::Assign { target, operator: None, value } = ast.expr(assigned).what else {
            return None;
        };
        let What::Call { callee, arguments, .. } = &ast.expr(value).what else { return None };
        let What::Member { object, name: "exec", .. } = ast.expr(*callee).what else { return None };
        let [text] = arguments.as_slice() else { return None };
        let is_name = matches!(ast.pattern(target).what, Target::Name(_));
        (is_name && !text.is_spread).then_some((target, object, text.value, value))
    }
}
