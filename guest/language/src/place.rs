//! Where a term stands in its text, for faults and notes: pointers, excerpts, lines and columns.

use crate::form::{Form, Shape};
use crate::origin::{FIRST_PLACE, Origin};
use crate::print;
use crate::term::{TermId, Terms};
use pif_core::fault::{Fault, Note, Place};
use pif_core::hint::Hint;
use pif_core::json::tape::{TokenId, escape_pointer};
use pif_core::json::write;
use pif_core::text::quote;

impl Terms {
    /// Notes the origin of the JSON from token `root` on.
    pub fn add_origin(&mut self, root: TokenId, origin: Origin) {
        self.origins.add(root, origin);
    }

    /// Begins a program in the notation. Returns `None` if the texts of the run become too long.
    pub fn begin_program(&mut self, text: &str, origin: Origin) -> Option<()> {
        let source = self.tape.add_text(text)?;
        self.origins.begin_program(source, origin);
        Some(())
    }

    /// Adds the place of the next term of the program: the byte at which it begins.
    pub fn add_place(&mut self, start: u32) -> TokenId {
        self.origins.add_place(start)
    }

    /// Ends the program, whose term is complete.
    pub fn end_program(&mut self, root: TermId) {
        self.origins.end_program(root);
    }

    /// Returns where a token stands in the text of a program in the notation.
    #[must_use]
    pub fn text_place(&self, token: TokenId) -> Option<Box<Place>> {
        let (source, start) = self.origins.start(token)?;
        Some(Box::new(Place::of(self.tape.str(source), start as usize)))
    }

    /// The byte of the text at which a token begins, where the program was written in the notation.
    #[must_use]
    pub fn byte(&self, token: TokenId) -> Option<u32> {
        Some(self.origins.start(token)?.1)
    }

    /// The text before the beginning of a token, where the program was written in the notation.
    #[must_use]
    pub fn text_before(&self, token: TokenId) -> Option<&str> {
        let (source, start) = self.origins.start(token)?;
        self.tape.str(source).get(..start as usize)
    }

    /// Returns the place of a token: its tool and the JSON Pointer within the source, safe for a
    /// message.
    #[must_use]
    pub fn place(&self, token: TokenId) -> (Option<&str>, String) {
        let (tool, pointer) = self.find(token);
        (tool, quote::pointer(pointer))
    }

    /// Returns the JSON at a token, shortened to one line.
    #[must_use]
    pub fn excerpt(&self, token: TokenId) -> String {
        match self.origins.program(token).filter(|_| token >= FIRST_PLACE) {
            Some(program) => self.excerpt_of(self.descend(program.root, token).0),
            None => quote::excerpt(&write::text(&self.tape, token, quote::EXCERPT_BYTES)),
        }
    }

    /// Returns the JSON of a term, shortened to one line: as it is written on the tape, or canonical.
    #[must_use]
    pub fn excerpt_of(&self, term: TermId) -> String {
        let token = self.node(term).token;
        if token < FIRST_PLACE {
            return self.excerpt(token);
        }
        let text = print::term_within(self, term, quote::EXCERPT_BYTES);
        quote::excerpt(&text.unwrap_or_else(|beginning| beginning))
    }

    /// Adds the place and the excerpt of a token to a fault.
    #[must_use]
    pub fn locate(&self, token: TokenId, fault: Fault) -> Fault {
        let (tool, at) = self.place(token);
        let tool = tool.map(str::to_owned);
        let excerpt = Some(self.excerpt(token));
        let place = self.text_place(token).or(fault.place);
        let mut fault = Fault { at, tool, excerpt, place, ..fault };
        if fault.is_of_input() {
            let data = "if you mean data, pass it as `data`";
            fault.hint = Some(fault.hint.map_or(data.into(), |hint| hint.and(data)));
        }
        fault
    }

    /// Makes a note about a token.
    #[must_use]
    pub fn note(
        &self,
        code: &'static str,
        token: TokenId,
        message: String,
        hint: Option<Hint>,
    ) -> Note {
        let at = self.place(token).1;
        let excerpt = Some(self.excerpt(token));
        let place = self.text_place(token);
        Note { code, at, message, hint, excerpt, place }
    }

    /// Returns the term to which a pointer leads from a term, as far as it leads.
    #[must_use]
    pub fn follow(&self, root: TermId, pointer: &str) -> TermId {
        let (mut term, mut rest) = (root, pointer);
        loop {
            let mut operands = self.operands(term).iter().enumerate();
            let next = operands.find_map(|(index, operand)| {
                let behind = rest.strip_prefix(&*self.step(term, index))?;
                (behind.is_empty() || behind.starts_with('/')).then_some((*operand, behind))
            });
            let Some(next) = next else { return term };
            (term, rest) = next;
        }
    }

    fn find(&self, token: TokenId) -> (Option<&str>, String) {
        let mut token = token;
        let mut tail = String::new();
        loop {
            let (pointer, origin) = if token < FIRST_PLACE {
                let Some((root, origin)) = self.origins.root(token) else { return (None, tail) };
                (self.tape.pointer(*root, token), origin)
            } else {
                let Some(program) = self.origins.program(token) else { return (None, tail) };
                (self.descend(program.root, token).1, &program.origin)
            };
            tail.insert_str(0, &pointer);
            match origin {
                Origin::Code => return (None, tail),
                Origin::Argument(member) => return (None, format!("/{member}{tail}")),
                Origin::Binding(name) => return (None, format!("/bindings/{name}{tail}")),
                Origin::Tool(name) => return (Some(name), tail),
                Origin::Decoded(outer) => token = *outer,
            }
        }
    }

    /// Goes down from the root of a program to the term at a place. Returns it with its pointer.
    fn descend(&self, root: TermId, place: TokenId) -> (TermId, String) {
        let (mut term, mut pointer) = (root, String::new());
        while self.origins.place(self.node(term).token) != Some(place) {
            // Places ascend in the order of reading. So the term is in the last operand that begins
            // at its place or before.
            let begins = |it: &TermId| {
                self.origins.place(self.node(*it).token).is_some_and(|begin| begin <= place)
            };
            let operands = self.operands(term);
            let Some(index) = operands.partition_point(begins).checked_sub(1) else { break };
            let Some(operand) = operands.get(index) else { break };
            pointer.push_str(&self.step(term, index));
            term = *operand;
        }
        (term, pointer)
    }

    /// Returns the pointer from a term to one of its operands in its canonical JSON.
    fn step(&self, term: TermId, index: usize) -> String {
        let (form, operands) = (self.form(term), self.operands(term));
        let Some(row) = form.row() else { return format!("/{index}") };
        let (name, is_last) = (row.name, index + 1 == operands.len());
        let is_list = operands.first().is_some_and(|it| self.form(*it) == Form::List);
        match row.shape {
            Shape::List { bare, .. } if bare.is_written(operands.len(), is_list) => {
                format!("/{name}")
            }
            Shape::List { .. } => format!("/{name}/{index}"),
            Shape::Branches => format!("/{name}/{}/{}", index / 2, index % 2),
            Shape::Members(keys) | Shape::MembersOr(keys) | Shape::Named(keys) => {
                format!("/{name}/{}", keys[index])
            }
            Shape::Fields => {
                let key = self.names(term).get(index).map_or("", |key| self.name(*key));
                format!("/{name}/{}", escape_pointer(key))
            }
            Shape::Lambda => "/body".to_owned(),
            Shape::Try if index > 0 => "/catch".to_owned(),
            Shape::Application if index == 0 => format!("/{name}/func"),
            Shape::Application if operands.len() == 2 => format!("/{name}/arg"),
            Shape::Application => format!("/{name}/args/{}", index - 1),
            Shape::Bindings | Shape::Functions if is_last => "/in".to_owned(),
            Shape::Bindings | Shape::Functions => format!("/{name}/{index}/1"),
            Shape::Name | Shape::Ignored | Shape::Literal | Shape::Try => format!("/{name}"),
        }
    }
}
