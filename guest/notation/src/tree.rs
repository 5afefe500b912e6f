//! The result of lowering: forms and literals in an arena, each with its place in the text. Operands
//! have smaller ids; names are those of the form.

use pif_core::limits::to_u32;
use pif_language::form::Form;
use pif_language::kinds;
use std::borrow::Cow;

/// A term in the arena.
pub(crate) type Id = u32;

/// A text of the program, or one of its own.
pub(crate) type Words<'s> = Cow<'s, str>;

/// A term.
#[derive(Debug)]
pub(crate) struct Node<'s> {
    pub(crate) what: What<'s>,
    /// Where it is in the text.
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// How it is written, as far as that matters to what stands around it.
    pub(crate) syntax: Syntax,
}

/// The content of a term.
#[derive(Debug)]
pub(crate) enum What<'s> {
    Null,
    Boolean(bool),
    /// A number as JSON writes it.
    Number(Words<'s>),
    Text(Words<'s>),
    /// A form or a list with its operands.
    Form {
        form: Form,
        operands: Vec<Id>,
        names: Box<[Words<'s>]>,
    },
    /// JSON, from one byte to another.
    Json(u32, u32),
}

/// The syntax of a term, where the syntax around it depends on that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// It closes itself, as a call and parentheses do.
    Closed,
    /// A member or an index of its subject.
    Member,
    /// A member after a `?.`.
    Optional,
    /// A form's name alone, for its function.
    Named,
}

/// The arena.
#[derive(Debug, Default)]
pub(crate) struct Tree<'s> {
    nodes: Vec<Node<'s>>,
}

const MISSING: Node<'static> = Node { what: What::Null, start: 0, end: 0, syntax: Syntax::Closed };

impl<'s> Tree<'s> {
    pub(crate) fn node(&self, id: Id) -> &Node<'s> {
        self.nodes.get(id as usize).unwrap_or(&MISSING)
    }

    #[inline(never)]
    pub(crate) fn add(&mut self, what: What<'s>, (start, end): (u32, u32)) -> Id {
        self.nodes.push(Node { what, start, end, syntax: Syntax::Closed });
        to_u32(self.nodes.len() - 1)
    }

    /// A form with operands and no names.
    pub(crate) fn form(&mut self, form: Form, operands: &[Id], span: (u32, u32)) -> Id {
        self.named(form, operands, Box::default(), span)
    }

    /// A form with operands and names.
    #[inline(never)]
    pub(crate) fn named(
        &mut self,
        form: Form,
        operands: &[Id],
        names: Box<[Words<'s>]>,
        span: (u32, u32),
    ) -> Id {
        self.add(What::Form { form, operands: operands.into(), names }, span)
    }

    /// A form with the operands of another one, which nothing uses any more, and one more.
    pub(crate) fn extended(&mut self, before: Id, operand: Id, span: (u32, u32)) -> Id {
        let Some(Node { what: What::Form { form, operands, .. }, .. }) =
            self.nodes.get_mut(before as usize)
        else {
            return before;
        };
        let form = *form;
        let mut operands = std::mem::take(operands);
        operands.push(operand);
        self.add(What::Form { form, operands, names: Box::default() }, span)
    }

    pub(crate) fn text(&mut self, text: impl Into<Words<'s>>, span: (u32, u32)) -> Id {
        self.add(What::Text(text.into()), span)
    }

    pub(crate) fn number(&mut self, text: impl Into<Words<'s>>, span: (u32, u32)) -> Id {
        self.add(What::Number(text.into()), span)
    }

    pub(crate) fn variable(&mut self, name: Words<'s>, span: (u32, u32)) -> Id {
        self.named(Form::Var, &[], [name].into(), span)
    }

    pub(crate) fn list(&mut self, items: &[Id], span: (u32, u32)) -> Id {
        self.form(Form::List, items, span)
    }

    pub(crate) fn span(&self, id: Id) -> (u32, u32) {
        let node = self.node(id);
        (node.start, node.end)
    }

    pub(crate) fn syntax(&self, id: Id) -> Syntax {
        self.node(id).syntax
    }

    pub(crate) fn set_syntax(&mut self, id: Id, syntax: Syntax) {
        if let Some(node) = self.nodes.get_mut(id as usize) {
            node.syntax = syntax;
        }
    }

    /// The form of a term; of a literal `Unit`, which no form is.
    pub(crate) fn form_of(&self, id: Id) -> Form {
        match &self.node(id).what {
            What::Form { form, .. } => *form,
            _ => Form::Unit,
        }
    }

    pub(crate) fn operands(&self, id: Id) -> &[Id] {
        match &self.node(id).what {
            What::Form { operands, .. } => operands,
            _ => &[],
        }
    }

    pub(crate) fn names(&self, id: Id) -> &[Words<'s>] {
        match &self.node(id).what {
            What::Form { names, .. } => names,
            _ => &[],
        }
    }

    /// The characters of a text.
    pub(crate) fn literal(&self, id: Id) -> Option<&str> {
        match &self.node(id).what {
            What::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The characters of the first operand, if that is a text.
    pub(crate) fn operand_text(&self, id: Id) -> Option<&str> {
        self.literal(*self.operands(id).first()?)
    }

    /// The digits of a number.
    pub(crate) fn digits(&self, id: Id) -> Option<&str> {
        match &self.node(id).what {
            What::Number(text) => Some(text),
            _ => None,
        }
    }

    /// Tells whether a term always gives a text.
    pub(crate) fn is_textual(&self, id: Id) -> bool {
        match &self.node(id).what {
            What::Text(_) => true,
            What::Form { form, .. } => form.given() == kinds::STRING,
            _ => false,
        }
    }
}
