//! Makes terms: the arena, names that the text does not have, and faults with their places.

use crate::lexer::{Wrong, wrong};
use crate::tree::{Id, Tree, What, Words};
use pif_core::fault::Code;
use pif_core::ids::IdSet;
use pif_language::form::Form;

/// Where something is in the text.
pub(crate) type Span = (u32, u32);

/// Builds the tree.
pub(crate) struct Builder<'s> {
    pub(crate) source: &'s str,
    pub(crate) tree: Tree<'s>,
    made: u32,
    /// Numbers behind a `_` in the text.
    numbered: IdSet,
}

/// A call of a function of JavaScript, or of a form by its name, with its operands as terms.
#[derive(Debug)]
pub(crate) struct Call<'s> {
    /// `map`, `Math.max`.
    pub(crate) name: Words<'s>,
    /// Where the name is.
    pub(crate) at: u32,
    /// The value before the point; nothing for a function.
    pub(crate) subject: Option<Id>,
    pub(crate) arguments: Vec<Argument>,
    /// The whole call.
    pub(crate) span: Span,
}

/// An argument of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Argument {
    pub(crate) id: Id,
    /// Behind `...`: a list of arguments.
    pub(crate) is_spread: bool,
    /// How many arguments it takes, if it is known to be a function of so many.
    pub(crate) takes: Option<usize>,
}

impl<'s> Builder<'s> {
    pub(crate) fn new(source: &'s str) -> Self {
        Self { source, tree: Tree::default(), made: 0, numbered: numbered(source) }
    }

    /// Makes a name that the text does not have.
    pub(crate) fn make_name(&mut self) -> Words<'s> {
        loop {
            self.made += 1;
            if !self.numbered.has(self.made) {
                return format!("_{}", self.made).into();
            }
        }
    }

    /// A fault at a byte of the text.
    pub(crate) fn wrong(&self, at: u32, code: Code, message: &str, hint: &str) -> Wrong {
        wrong((self.source, at), code, message, hint)
    }

    pub(crate) fn null(&mut self, span: Span) -> Id {
        self.tree.add(What::Null, span)
    }

    pub(crate) fn boolean(&mut self, value: bool, span: Span) -> Id {
        self.tree.add(What::Boolean(value), span)
    }

    pub(crate) fn number(&mut self, digits: impl Into<Words<'s>>, span: Span) -> Id {
        self.tree.number(digits, span)
    }

    pub(crate) fn text(&mut self, text: impl Into<Words<'s>>, span: Span) -> Id {
        self.tree.text(text, span)
    }

    pub(crate) fn variable(&mut self, name: &Words<'s>, span: Span) -> Id {
        self.tree.variable(name.clone(), span)
    }

    pub(crate) fn list(&mut self, items: &[Id], span: Span) -> Id {
        self.tree.list(items, span)
    }

    pub(crate) fn form(&mut self, form: Form, operands: &[Id], span: Span) -> Id {
        self.tree.form(form, operands, span)
    }

    /// A form of two operands and more; of one operand it is that operand.
    pub(crate) fn form_of_many(&mut self, form: Form, operands: &[Id], span: Span) -> Id {
        match operands {
            [only] => *only,
            _ => self.form(form, operands, span),
        }
    }

    /// A record of members that are known.
    pub(crate) fn record(&mut self, members: &[(Words<'s>, Id)], span: Span) -> Id {
        let values: Vec<Id> = members.iter().map(|(_, id)| *id).collect();
        let names = members.iter().map(|(name, _)| name.clone()).collect();
        self.tree.named(Form::Record, &values, names, span)
    }

    /// A function; one of no parameters takes one that it does not use.
    pub(crate) fn function(&mut self, names: Vec<Words<'s>>, body: Id, span: Span) -> Id {
        let names = if names.is_empty() { vec![self.make_name()] } else { names };
        self.tree.named(Form::Lam, &[body], names.into(), span)
    }

    /// An application; of nothing it is one of null.
    pub(crate) fn apply(&mut self, function: Id, arguments: &[Id], span: Span) -> Id {
        let mut operands = vec![function];
        operands.extend_from_slice(arguments);
        if arguments.is_empty() {
            operands.push(self.null(span));
        }
        self.form(Form::App, &operands, span)
    }

    /// `let` of names, each of which sees the earlier ones.
    pub(crate) fn bind(&mut self, bindings: Vec<(Words<'s>, Id)>, body: Id, span: Span) -> Id {
        self.binding(Form::Let, bindings, body, span)
    }

    /// `letrec` of functions.
    pub(crate) fn bind_functions(
        &mut self,
        bindings: Vec<(Words<'s>, Id)>,
        body: Id,
        span: Span,
    ) -> Id {
        self.binding(Form::Letrec, bindings, body, span)
    }

    fn binding(&mut self, form: Form, bindings: Vec<(Words<'s>, Id)>, body: Id, span: Span) -> Id {
        if bindings.is_empty() {
            return body;
        }
        let mut operands: Vec<Id> = bindings.iter().map(|(_, id)| *id).collect();
        operands.push(body);
        let names = bindings.into_iter().map(|(name, _)| name).collect();
        self.tree.named(form, &operands, names, span)
    }
}

/// The numbers behind a `_` in a text.
fn numbered(text: &str) -> IdSet {
    let mut numbers = IdSet::default();
    for rest in text.split('_').skip(1) {
        let end = rest.bytes().take_while(u8::is_ascii_digit).count();
        if let Some(number) = rest.get(..end).and_then(|digits| digits.parse().ok()) {
            numbers.add(number);
        }
    }
    numbers
}
