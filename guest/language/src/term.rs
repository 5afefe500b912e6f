//! Terms. One arena holds all programs of a run, so no code walks or drops them by recursion. A
//! term's operands have smaller ids than the term.

use crate::form::Form;
pub use crate::names::NameId;
use crate::names::Names;
use pif_core::fault::{Fault, Note, Place};
use pif_core::hint::Hint;
use pif_core::json::tape::{Span, Tape, TokenId};
use pif_core::json::write;
use pif_core::limits::to_u32;

use num_bigint::BigInt;
use pif_core::json::number::Integer;
use pif_core::text::quote;

/// A term in the arena.
pub type TermId = u32;
/// One term. The form decides the meaning of `first`, `count` and `datum`; see the accessors.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// Its form.
    pub form: Form,
    first: u32,
    count: u32,
    datum: u32,
    /// The JSON that it was read from.
    pub token: TokenId,
}

/// The origin of a source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The submitted code.
    Code,
    /// The argument of a run, with the name of its member, such as `input`.
    Argument(&'static str),
    /// The term of the variable of this name.
    Binding(String),
    /// The source of a tool.
    Tool(String),
    /// A string that was decoded because it holds JSON, with that string's token.
    Decoded(TokenId),
}

/// All terms of a run, with the JSON that they were read from.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    /// The JSON.
    pub tape: Tape,
    /// Roots on the tape in ascending order, each with its origin.
    origins: Vec<(TokenId, Origin)>,
    nodes: Vec<Node>,
    /// The operands of terms. Each group is followed by the term's names.
    links: Vec<u32>,
    names: Names,
    bigs: Vec<BigInt>,
    /// The terms that fill the holes of a quote, in order. A quote with holes has its place here, from
    /// 1 on, as its datum.
    holes: Vec<Box<[TermId]>>,
    /// Bytes of names, big integers and holes.
    scattered: usize,
    /// Programs that were written in the notation, in the order of their tokens.
    written: Vec<Written>,
}

/// A program that was written in the notation: where each of its tokens is in its text.
#[derive(Clone, Debug)]
pub struct Written {
    /// Its first token.
    pub root: TokenId,
    /// Its text, on the tape.
    pub source: Span,
    /// The byte of the text at which what a token stands for begins, token by token.
    pub starts: Vec<u32>,
}

impl Terms {
    /// Returns the term at `id`.
    #[must_use]
    pub fn node(&self, id: TermId) -> Node {
        const MISSING: Node = Node { form: Form::Unit, first: 0, count: 0, datum: 0, token: 0 };
        self.nodes.get(id as usize).copied().unwrap_or(MISSING)
    }

    /// Returns the form of the term at `id`.
    #[must_use]
    pub fn form(&self, id: TermId) -> Form {
        self.node(id).form
    }

    /// Counts the terms: the id of the next.
    #[must_use]
    pub fn len(&self) -> u32 {
        to_u32(self.nodes.len())
    }

    /// Tells whether there is no term.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the operands in order of evaluation. For `lam`, the body; for `let` and `letrec`, the terms, then
    /// the body.
    #[must_use]
    pub fn operands(&self, id: TermId) -> &[TermId] {
        let node = self.node(id);
        if node.form.is_literal() {
            return &[];
        }
        let first = node.first as usize;
        self.links.get(first..first + node.count as usize).unwrap_or_default()
    }

    /// Returns the terms that the evaluation of a term evaluates: its operands, or the unquoted
    /// terms of a quote.
    #[must_use]
    pub fn evaluated(&self, id: TermId) -> &[TermId] {
        let node = self.node(id);
        if node.form != Form::Quote {
            return self.operands(id);
        }
        let place = (node.datum as usize).checked_sub(1);
        place.and_then(|place| self.holes.get(place)).map_or(&[], |holes| holes)
    }

    /// Notes the terms that fill the holes of a quote.
    pub fn set_holes(&mut self, quote: TermId, holes: Vec<TermId>) {
        self.scattered += 64 + 4 * holes.len();
        self.holes.push(holes.into());
        let place = to_u32(self.holes.len());
        if let Some(node) = self.nodes.get_mut(quote as usize) {
            node.datum = place;
        }
    }

    /// Estimates the bytes of all terms. The estimate is equal on every platform.
    #[must_use]
    pub fn bytes(&self) -> usize {
        const ORIGIN: usize = 40;
        self.tape.bytes()
            + self.origins.len() * ORIGIN
            + self.nodes.len() * size_of::<Node>()
            + self.links.len() * 4
            + self.written.iter().map(|it| it.starts.len() * 4).sum::<usize>()
            + self.scattered
    }

    /// Returns the operand at `index`.
    #[must_use]
    pub fn operand(&self, id: TermId, index: usize) -> TermId {
        self.operands(id).get(index).copied().unwrap_or_default()
    }

    /// Returns the names: a variable's, a lambda's parameters, a `let`'s or `letrec`'s variables, a record's
    /// keys.
    #[must_use]
    pub fn names(&self, id: TermId) -> &[NameId] {
        let node = self.node(id);
        if node.form.is_literal() || node.form == Form::Quote {
            return &[];
        }
        let first = node.first as usize + node.count as usize;
        self.links.get(first..first + node.datum as usize).unwrap_or_default()
    }

    /// Returns the only name of a `var`.
    #[must_use]
    pub fn only_name(&self, id: TermId) -> NameId {
        self.names(id).first().copied().unwrap_or_default()
    }

    /// Returns the characters of a name.
    #[must_use]
    pub fn name(&self, id: NameId) -> &str {
        self.names.text(id)
    }

    /// Counts the names.
    #[must_use]
    pub fn count_names(&self) -> usize {
        self.names.len()
    }

    /// Returns the id of a name, if it occurs.
    #[must_use]
    pub fn name_id(&self, name: &str) -> Option<NameId> {
        self.names.id(name)
    }

    /// Returns the truth value of a `Boolean`.
    #[must_use]
    pub fn boolean(&self, id: TermId) -> bool {
        self.node(id).datum != 0
    }

    /// Returns the value of an `Integer`.
    #[must_use]
    pub fn integer(&self, id: TermId) -> i64 {
        let node = self.node(id);
        (u64::from(node.first) << 32 | u64::from(node.count)).cast_signed()
    }

    /// Returns the value of an `Integer` that fits, or nothing for another term.
    #[must_use]
    pub fn literal<T: TryFrom<i64>>(&self, id: TermId) -> Option<T> {
        let is_integer = self.form(id) == Form::Integer;
        is_integer.then(|| self.integer(id).try_into().ok()).flatten()
    }

    /// Returns which operand of a binary `add`, `plus` or `sub` is a literal, if any, and the number that
    /// it adds to the other. Subtracting 0 keeps the sign of a float; adding 0 does not.
    #[must_use]
    pub fn added_literal(&self, id: TermId) -> Option<(usize, i32)> {
        let form = self.form(id);
        if !matches!(form, Form::Add | Form::Plus | Form::Sub) {
            return None;
        }
        let [first, second] = *self.operands(id) else { return None };
        match (form, self.literal::<i32>(second)) {
            (Form::Add | Form::Plus, None) => self.literal(first).map(|n| (0, n)),
            (Form::Add | Form::Plus, Some(n)) => Some((1, n)),
            (_, n) => Some((1, n?.checked_neg().filter(|n| *n != 0)?)),
        }
    }

    /// Returns the value of a `FloatNumber`.
    #[must_use]
    pub fn float(&self, id: TermId) -> f64 {
        let node = self.node(id);
        f64::from_bits(u64::from(node.first) << 32 | u64::from(node.count))
    }

    /// Returns the value of a `BigInteger`.
    #[must_use]
    pub fn big_integer(&self, id: TermId) -> Option<&BigInt> {
        self.bigs.get(self.node(id).datum as usize)
    }

    /// Returns the characters of a `Text`.
    #[must_use]
    pub fn text(&self, id: TermId) -> &str {
        let node = self.node(id);
        self.tape.str(Span { start: node.first, len: node.count })
    }

    /// Iterates over all names, in order of first occurrence.
    pub fn all_names(&self) -> impl Iterator<Item = &str> {
        self.names.iter()
    }

    /// Counts the names: no term has this id, or one above it.
    #[must_use]
    pub fn name_count(&self) -> usize {
        self.names.len()
    }

    /// Returns the id of a name, which it adds if it is new.
    pub fn intern(&mut self, name: &str) -> NameId {
        if let Some(id) = self.names.id(name) {
            return id;
        }
        self.scattered += 2 * name.len() + 80;
        self.names.add(name)
    }

    /// Adds a form with its operands and names.
    pub fn add(
        &mut self,
        form: Form,
        token: TokenId,
        operands: &[TermId],
        names: &[NameId],
    ) -> TermId {
        let first = to_u32(self.links.len());
        self.links.extend_from_slice(operands);
        self.links.extend_from_slice(names);
        let (count, datum) = (to_u32(operands.len()), to_u32(names.len()));
        self.push(Node { form, first, count, datum, token })
    }

    /// Adds `null`.
    pub fn add_unit(&mut self, token: TokenId) -> TermId {
        self.push(Node { form: Form::Unit, first: 0, count: 0, datum: 0, token })
    }

    /// Adds a boolean.
    pub fn add_boolean(&mut self, token: TokenId, b: bool) -> TermId {
        self.push(Node { form: Form::Boolean, first: 0, count: 0, datum: u32::from(b), token })
    }

    /// Adds a text of the tape.
    pub fn add_text(&mut self, token: TokenId, span: Span) -> TermId {
        let Span { start: first, len: count } = span;
        self.push(Node { form: Form::Text, first, count, datum: 0, token })
    }

    /// Adds a new text. Returns `None` if the texts of the run become too long.
    pub fn add_new_text(&mut self, token: TokenId, text: &str) -> Option<TermId> {
        let span = self.tape.add_text(text)?;
        Some(self.add_text(token, span))
    }

    /// Adds an integer.
    pub fn add_integer(&mut self, token: TokenId, n: Integer) -> TermId {
        match n {
            Integer::Small(n) => {
                let bits = n.cast_unsigned();
                let (first, count) = (low(bits >> 32), low(bits));
                self.push(Node { form: Form::Integer, first, count, datum: 0, token })
            }
            Integer::Big(n) => {
                let datum = to_u32(self.bigs.len());
                self.scattered += usize::try_from(n.bits() / 8).unwrap_or(usize::MAX) + 40;
                self.bigs.push(n);
                self.push(Node { form: Form::BigInteger, first: 0, count: 0, datum, token })
            }
        }
    }

    /// Adds a float, which may be infinite or not a number.
    pub fn add_float(&mut self, token: TokenId, n: f64) -> TermId {
        let bits = n.to_bits();
        let (first, count) = (low(bits >> 32), low(bits));
        self.push(Node { form: Form::FloatNumber, first, count, datum: 0, token })
    }

    fn push(&mut self, node: Node) -> TermId {
        self.nodes.push(node);
        to_u32(self.nodes.len() - 1)
    }

    /// Notes the origin of the JSON from token `root` on.
    pub fn add_origin(&mut self, root: TokenId, origin: Origin) {
        self.origins.push((root, origin));
    }

    /// Notes a program that was written in the notation.
    pub fn add_written(&mut self, written: Written) {
        self.written.push(written);
    }

    /// Where a token stands in a program that was written in the notation.
    fn written_at(&self, token: TokenId) -> Option<Box<Place>> {
        let (source, start) = self.start(token)?;
        Some(Box::new(Place::of(self.tape.str(source), start as usize)))
    }

    /// The byte of the text at which a token begins, where the program was written in the notation.
    #[must_use]
    pub fn byte(&self, token: TokenId) -> Option<u32> {
        Some(self.start(token)?.1)
    }

    /// The text before the beginning of a token, where the program was written in the notation.
    #[must_use]
    pub fn text_before(&self, token: TokenId) -> Option<&str> {
        let (source, start) = self.start(token)?;
        self.tape.str(source).get(..start as usize)
    }

    fn start(&self, token: TokenId) -> Option<(Span, u32)> {
        let before = self.written.partition_point(|it| it.root <= token).checked_sub(1)?;
        let written = self.written.get(before)?;
        Some((written.source, *written.starts.get((token - written.root) as usize)?))
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
        quote::excerpt(&write::text(&self.tape, token, quote::EXCERPT_BYTES))
    }

    /// Adds the place and the excerpt of a token to a fault.
    #[must_use]
    pub fn locate(&self, token: TokenId, fault: Fault) -> Fault {
        let (tool, at) = self.place(token);
        let (tool, excerpt) = (tool.map(str::to_owned), Some(self.excerpt(token)));
        let place = self.written_at(token).or(fault.place);
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
        let (at, excerpt) = (self.place(token).1, Some(self.excerpt(token)));
        let place = self.written_at(token);
        Note { code, at, message, hint, excerpt, place }
    }

    fn find(&self, token: TokenId) -> (Option<&str>, String) {
        let mut token = token;
        let mut tail = String::new();
        loop {
            let index = self.origins.partition_point(|(root, _)| *root <= token);
            let Some((root, origin)) = index.checked_sub(1).and_then(|i| self.origins.get(i))
            else {
                return (None, tail);
            };
            tail.insert_str(0, &self.tape.pointer(*root, token));
            match origin {
                Origin::Code => return (None, tail),
                Origin::Argument(member) => return (None, format!("/{member}{tail}")),
                Origin::Binding(name) => return (None, format!("/bindings/{name}{tail}")),
                Origin::Tool(name) => return (Some(name), tail),
                Origin::Decoded(outer) => token = *outer,
            }
        }
    }
}

fn low(bits: u64) -> u32 {
    u32::try_from(bits & 0xffff_ffff).unwrap_or_default()
}
