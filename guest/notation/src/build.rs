//! The tree of a program to terms, each with its place in the text.

use crate::tree::{Id, Tree, What, Words};
use pif_core::fault::{Code, Fault};
use pif_core::json::number;
use pif_core::json::tape::TokenId;
use pif_core::limits::to_u32;
use pif_core::text::quote;
use pif_language::form::{Form, Shape};
use pif_language::parse::attempt::codes;
use pif_language::parse::binding::{ensure_different, ensure_few};
use pif_language::parse::builder::{Builder, Open, ensure_shallow};
use pif_language::parse::shape::{ensure_tool_name, literal};
use pif_language::parse::{Reading, read_into};
use pif_language::term::{NameId, Origin};

/// The work left, the next piece last.
enum Work {
    Term(Id),
    Close(Open),
}

/// Adds the term at `root`, with what is wrong with it.
pub(crate) fn build(builder: &mut Builder<'_>, tree: &Tree<'_>, source: &str, root: Id) {
    let mut work = vec![Work::Term(root)];
    while let Some(step) = work.pop() {
        let id = match step {
            Work::Term(id) => id,
            Work::Close(open) => {
                builder.close(open);
                continue;
            }
        };
        let node = tree.node(id);
        let place = builder.terms.add_place(node.start);
        if let Err(fault) = ensure_shallow(work.len()) {
            builder.refuse(place, fault);
            continue;
        }
        match &node.what {
            What::Null => builder.null(place),
            What::Boolean(b) => builder.boolean(place, *b),
            What::Number(text) => add_number(builder, place, number::literal(text), text),
            What::Text(text) => add_text(builder, place, text),
            What::Json(start, end) => {
                let text = source.get(*start as usize..*end as usize).unwrap_or_default();
                add_json(builder, place, text);
            }
            What::Form { form, .. } if is_literal(*form) => {
                let text = tree.operand_text(id).unwrap_or_default();
                let defect = || Fault::defect("a literal of the notation is no number");
                let read = literal(*form, text).and_then(|n| n.ok_or_else(defect));
                add_number(builder, place, read, text);
            }
            What::Form { form, operands, names } => {
                let names = checked(builder, place, (*form, tree.operand_text(id)), names);
                let open = builder.open(*form, place, to_u32(operands.len()), &names);
                work.push(Work::Close(open));
                work.extend(operands.iter().rev().map(|id| Work::Term(*id)));
            }
        }
    }
}

fn is_literal(form: Form) -> bool {
    form.row().is_some_and(|row| row.shape == Shape::Literal)
}

fn add_number(
    builder: &mut Builder<'_>,
    place: TokenId,
    read: Result<number::Literal, Fault>,
    text: &str,
) {
    match read {
        Ok(n) => builder.number(place, n),
        Err(fault) => builder.refuse(place, Fault { excerpt: Some(quote::excerpt(text)), ..fault }),
    }
}

fn add_text(builder: &mut Builder<'_>, place: TokenId, text: &str) {
    match builder.terms.tape.add_text(text) {
        Some(span) => builder.text(place, span),
        None => builder.refuse(place, too_long()),
    }
}

/// The fault of a program whose texts do not fit on the tape.
pub(crate) fn too_long() -> Fault {
    Fault::new(Code::TooLarge, "the texts of this run are longer than 2 GiB")
}

/// Adds the term of JSON within the program.
fn add_json(builder: &mut Builder<'_>, place: TokenId, text: &str) {
    match builder.terms.tape.parse(text) {
        Ok(root) => {
            builder.terms.add_origin(root, Origin::Decoded(place));
            read_into(builder, root, Reading::Code);
        }
        Err(fault) => builder.refuse(place, fault),
    }
}

/// Returns the names of a form, whose first operand may be a text. Reports what is wrong with them.
fn checked(
    builder: &mut Builder<'_>,
    place: TokenId,
    (form, first): (Form, Option<&str>),
    names: &[Words<'_>],
) -> Vec<NameId> {
    let texts: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    let texts = match form {
        Form::Try => codes(&texts).unwrap_or_else(|(_, fault)| {
            builder.report(place, fault);
            Vec::new()
        }),
        _ => texts,
    };
    let names: Vec<NameId> = texts.iter().map(|name| builder.terms.intern(name)).collect();
    let (at, checked) = match (form, first) {
        (Form::Lam, _) => (place, ensure_different(builder.terms, form, &names).map_err(|it| it.1)),
        (Form::Letrec, _) => (place, ensure_few(&names)),
        // The first operand has the next place.
        (Form::Call, Some(tool)) => (place + 1, ensure_tool_name(form, tool)),
        _ => (place, Ok(())),
    };
    if let Err(fault) = checked {
        builder.report(at, fault);
    }
    names
}
