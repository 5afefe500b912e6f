//! The callee, before the parentheses of a call: tools of other servers, functions that are called by
//! `call` and `apply`, and regular expressions that go on where they ended.

use crate::ast::{ExprId, Item, Span, What};
use crate::lexer::Wrong;
use crate::lower::context::{Cx, Lowered};
use crate::lower::library;
use crate::tree::Id;
use pif_language::form::Form;

/// Prefixes that other systems write before the name of a server.
const PREFIXES: [&str; 4] = ["tools", "codemode", "mcp", "servers"];

impl Cx<'_, '_> {
    /// The name of a tool of another server: `github.search_issues` or `github["search-issues"]`,
    /// where `github` is no variable. None where the arguments are surely none of a tool, as in
    /// `orders.map(o => o.total)`: `orders` is then a variable that nothing binds.
    pub(super) fn tool_path(&self, callee: ExprId, arguments: &[Item]) -> Option<String> {
        if arguments.first().is_some_and(|it| !self.may_be_arguments(it.value)) {
            return None;
        }
        let mut names: Vec<&str> = Vec::new();
        let mut first = callee;
        loop {
            match &self.ast.expr(first).what {
                What::Member { object, name, is_optional: false, .. } => {
                    names.push(name);
                    first = *object;
                }
                What::Index { object, index, is_optional: false } => {
                    let What::Text(name) = &self.ast.expr(*index).what else { return None };
                    names.push(name);
                    first = *object;
                }
                What::Name(name) if self.var_of(first).is_none() => {
                    if self.is_global_name(first) || library::is_constant(name) || *name == "self" {
                        return None;
                    }
                    names.push(name);
                    break;
                }
                _ => return None,
            }
        }
        names.reverse();
        if names.len() > 2 && names.first().is_some_and(|first| PREFIXES.contains(first)) {
            names.remove(0);
        }
        match *names {
            // `f.call(x)` is a call of a function that is named.
            [function, "call" | "apply" | "bind" | "toString"]
                if library::is_function(function) =>
            {
                None
            }
            [server, tool] if !PREFIXES.contains(&server) => Some(format!("{server}.{tool}")),
            _ => None,
        }
    }

    /// Whether a value may be the arguments of a tool: a record, or null. Other literals surely are not.
    fn may_be_arguments(&self, value: ExprId) -> bool {
        use What::{Boolean, Function, List, Number, Regex, Template, Text};
        !matches!(
            self.ast.expr(value).what,
            Boolean(_) | Number(_) | Text(_) | Regex { .. } | Template(_) | List(_) | Function(_)
        )
    }

    /// Makes a call of a tool.
    pub(super) async fn call_tool(&self, id: ExprId, tool: String, arguments: &[Item]) -> Lowered {
        let span = self.span(id);
        let parts = self.items(arguments).await?;
        let mut b = self.b();
        let tool = b.text(tool, span);
        let mut operands = vec![tool];
        operands.extend(parts.iter().take(2).map(|(id, _)| *id));
        if parts.is_empty() {
            operands.push(b.null(span));
        }
        Ok(b.form(Form::Call, &operands, span))
    }

    /// `f.call(null, x)` and `f.apply(null, list)` of a function that the program names. There is no
    /// `this`, so the first argument does not matter.
    pub(super) async fn call_with_this(
        &self,
        id: ExprId,
        object: ExprId,
        name: &str,
        arguments: &[Item],
    ) -> Result<Option<Id>, Wrong> {
        let [this, rest @ ..] = arguments else { return Ok(None) };
        let is_nothing = matches!(self.ast.expr(this.value).what, What::Null | What::Name(_));
        let var = self.var_of(object);
        let local = var.and_then(|var| self.known.var(var).function.map(|it| (var, it)));
        let local = local.filter(|(var, _)| !self.known.var(*var).is_changed);
        let path = self.global_path(object).filter(|path| library::is_function(path));
        if !is_nothing || this.is_spread || (local.is_none() && path.is_none()) {
            return Ok(None);
        }
        let items: Vec<Item> = match (name, rest) {
            ("apply", [list]) => vec![Item { value: list.value, is_spread: true }],
            ("apply", _) => return Ok(None),
            _ => rest.to_vec(),
        };
        match (local, path) {
            (Some((var, function)), _) => {
                self.call_local(id, var, function, &items).await.map(Some)
            }
            (None, Some(path)) => self.call_library(id, path, &items).await.map(Some),
            (None, None) => Ok(None),
        }
    }

    /// Tells whether calls of a regular expression with the flag g follow each other, so that each
    /// goes on where the one before it ended.
    pub(super) fn keeps_place(&self, object: ExprId) -> bool {
        let Some(var) = self.var_of(object) else { return false };
        let info = self.known.var(var);
        let is_global = info.value.is_some_and(|value| {
            matches!(self.ast.expr(value).what, What::Regex { flags, .. } if flags.contains('g'))
        });
        let is_inside = |span: &Span| span.0 <= info.at && info.at < span.1;
        let repeats = self.around.repeats.iter().any(|span| !is_inside(span));
        is_global && (info.uses.len() > 1 || repeats || info.owner != self.around.function)
    }
}
