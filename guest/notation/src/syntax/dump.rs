//! The tree of a program as one line, for tests.

use crate::ast::{
    Ast, Body, Element, ExprId, FunctionId, Item, Key, Member, PatternId, Statement, StmtId,
    Target, What,
};

pub(super) fn program(ast: &Ast<'_>) -> String {
    statements(ast, &ast.program)
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(" ")
}

fn statements(ast: &Ast<'_>, ids: &[StmtId]) -> String {
    joined(ids.iter().map(|id| statement(ast, *id)))
}

fn block(ast: &Ast<'_>, ids: &[StmtId]) -> String {
    format!("{{{}}}", statements(ast, ids))
}

fn optional<T: Copy>(value: Option<T>, show: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| "_".to_owned(), show)
}

fn statement(ast: &Ast<'_>, id: StmtId) -> String {
    let (show, stmt) = (|id| expr(ast, id), |id| statement(ast, id));
    match &ast.stmt(id).what {
        Statement::Empty => ";".to_owned(),
        Statement::Expression(value) => show(*value),
        Statement::Declare { kind, names } => {
            let word = format!("{kind:?}").to_lowercase();
            let names = names
                .iter()
                .map(|(name, value)| format!("{} {}", pattern(ast, *name), optional(*value, show)));
            format!("({word} {})", joined(names))
        }
        Statement::Function(it) => function(ast, *it),
        Statement::Return(value) => format!("(return {})", optional(*value, show)),
        Statement::If { test, then, otherwise } => {
            format!("(if {} {} {})", show(*test), stmt(*then), optional(*otherwise, stmt))
        }
        Statement::For { begin, test, update, body } => format!(
            "(for {} {} {} {})",
            optional(*begin, stmt),
            optional(*test, show),
            optional(*update, show),
            stmt(*body)
        ),
        Statement::ForOf { kind, pattern: it, list, body } => {
            let word = kind.map_or_else(String::new, |kind| format!("{kind:?} ").to_lowercase());
            format!("(of {word}{} {} {})", pattern(ast, *it), show(*list), stmt(*body))
        }
        Statement::ForIn { kind, pattern: it, record, body } => {
            let word = kind.map_or_else(String::new, |kind| format!("{kind:?} ").to_lowercase());
            format!("(in {word}{} {} {})", pattern(ast, *it), show(*record), stmt(*body))
        }
        Statement::While { test, body } => format!("(while {} {})", show(*test), stmt(*body)),
        Statement::DoWhile { body, test } => format!("(do {} {})", stmt(*body), show(*test)),
        Statement::Break(label) => format!("(break {})", label.unwrap_or("_")),
        Statement::Continue(label) => format!("(continue {})", label.unwrap_or("_")),
        Statement::Throw(value) => format!("(throw {})", show(*value)),
        Statement::Try { body, handler, finally } => {
            let handler = handler.as_ref().map_or_else(
                || "_".to_owned(),
                |(name, body)| {
                    format!("{} {}", optional(*name, |it| pattern(ast, it)), block(ast, body))
                },
            );
            let finally = finally.as_ref().map_or_else(|| "_".to_owned(), |it| block(ast, it));
            format!("(try {} {handler} {finally})", block(ast, body))
        }
        Statement::Switch { value, cases } => {
            let cases = cases.iter().map(|(test, body)| {
                format!("({} {})", optional(*test, show), statements(ast, body))
            });
            format!("(switch {} {})", show(*value), joined(cases))
        }
        Statement::Block(body) => block(ast, body),
        Statement::Labeled(label, inner) => format!("(label {label} {})", stmt(*inner)),
    }
}

fn items(ast: &Ast<'_>, items: &[Item]) -> String {
    joined(items.iter().map(|item| {
        format!("{}{}", if item.is_spread { "..." } else { "" }, expr(ast, item.value))
    }))
}

fn dots(is_optional: bool) -> &'static str {
    if is_optional { "?." } else { "." }
}

fn expr(ast: &Ast<'_>, id: ExprId) -> String {
    let show = |id: ExprId| expr(ast, id);
    match &ast.expr(id).what {
        What::Null => "null".to_owned(),
        What::Boolean(it) => it.to_string(),
        What::Number(it) => it.to_string(),
        What::Text(it) => format!("{it:?}"),
        What::Regex { pattern, flags } => format!("/{pattern}/{flags}"),
        What::Template(parts) => format!("`{}`", joined(parts.iter().map(|it| show(*it)))),
        What::Name(it) => (*it).to_owned(),
        What::Tool(it) => format!("@{it}"),
        What::List(all) => format!("[{}]", items(ast, all)),
        What::Record(members) => {
            let members = members.iter().map(|member| match member {
                Member::Named { name, value, .. } => format!("{name}: {}", show(*value)),
                Member::Computed { key, value } => format!("[{}]: {}", show(*key), show(*value)),
                Member::Spread(value) => format!("...{}", show(*value)),
            });
            format!("#{{{}}}", joined(members))
        }
        What::Function(it) => function(ast, *it),
        What::Unary { operator, operand } => format!("({operator:?} {})", show(*operand)),
        What::Binary { operator, left, right } => {
            format!("({operator:?} {} {})", show(*left), show(*right))
        }
        What::Conditional { test, then, otherwise } => {
            format!("(? {} {} {})", show(*test), show(*then), show(*otherwise))
        }
        What::Assign { target, operator, value } => {
            let operator = operator.map_or_else(String::new, |it| format!("{it:?}"));
            format!("({operator}= {} {})", pattern(ast, *target), show(*value))
        }
        What::Update { target, increases, is_prefix } => {
            let mark = if *increases { "++" } else { "--" };
            let target = pattern(ast, *target);
            if *is_prefix { format!("({mark} {target})") } else { format!("({target} {mark})") }
        }
        What::Member { object, name, name_at, is_optional } => {
            let _ = name_at;
            format!("({}{name} {})", dots(*is_optional), show(*object))
        }
        What::Index { object, index, is_optional } => {
            format!("({}[] {} {})", dots(*is_optional), show(*object), show(*index))
        }
        What::Call { callee, arguments, is_optional } => {
            let mark = if *is_optional { "?." } else { "" };
            format!("({mark}call {} {})", show(*callee), items(ast, arguments))
        }
        What::New { name, arguments } => format!("(new {name} {})", items(ast, arguments)),
        What::Sequence(all) => format!("(, {})", joined(all.iter().map(|it| show(*it)))),
        What::Await(it) => format!("(await {})", show(*it)),
        What::Pipe(all) => format!("(|> {})", joined(all.iter().map(|it| show(*it)))),
        What::Json(from, to) => format!("(json {from} {to})"),
        What::StrictIf(all) => format!("(IF {})", joined(all.iter().map(|it| show(*it)))),
    }
}

fn function(ast: &Ast<'_>, id: FunctionId) -> String {
    let it = ast.function(id);
    let mut parameters: Vec<String> = it.parameters.iter().map(|one| element(ast, *one)).collect();
    parameters.extend(it.rest.map(|rest| format!("...{}", pattern(ast, rest))));
    let body = match &it.body {
        Body::Expression(value) => expr(ast, *value),
        Body::Block(body) => block(ast, body),
    };
    format!("(fn {}({}) {body})", it.name.unwrap_or_default(), parameters.join(" "))
}

fn element(ast: &Ast<'_>, it: Element) -> String {
    let default = it.default.map_or_else(String::new, |value| format!("={}", expr(ast, value)));
    format!("{}{default}", pattern(ast, it.pattern))
}

fn pattern(ast: &Ast<'_>, id: PatternId) -> String {
    let (mut parts, rest, braces) = match &ast.pattern(id).what {
        Target::Name(name) => return (*name).to_owned(),
        Target::Path(path) => return expr(ast, *path),
        Target::List { elements, rest } => {
            let parts = elements.iter().map(|it| optional(*it, |it| element(ast, it)));
            (parts.collect::<Vec<_>>(), rest, ["[", "]"])
        }
        Target::Record { members, rest } => {
            let parts = members.iter().map(|(key, it)| {
                let key = match key {
                    Key::Named(name) => name.to_string(),
                    Key::Computed(key) => format!("[{}]", expr(ast, *key)),
                };
                format!("{key}: {}", element(ast, *it))
            });
            (parts.collect::<Vec<_>>(), rest, ["{", "}"])
        }
    };
    parts.extend(rest.map(|rest| format!("...{}", pattern(ast, rest))));
    format!("{}{}{}", braces[0], parts.join(" "), braces[1])
}
