//! Terms. One arena holds all programs of a run, so no code walks or drops them by recursion. A
//! term's operands have smaller ids than the term.

use crate::form::Form;
pub use crate::names::NameId;
use crate::names::Names;
pub use crate::origin::Origin;
use crate::origin::Origins;
use pif_core::json::tape::{Span, Tape, TokenId};
use pif_core::limits::to_u32;

use num_bigint::BigInt;
use pif_core::json::number::Integer;

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
    /// Where it was read: a token of the tape, or a place in a program in the notation.
    pub token: TokenId,
}

/// All terms of a run, with the texts that they were read from.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    /// The JSON.
    pub tape: Tape,
    /// The texts that terms were read from.
    pub(crate) origins: Origins,
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
}

impl Terms {
    /// Returns the term at `id`.
    #[must_use]
    pub fn node(&self, id: TermId) -> Node {
        self.nodes[id as usize]
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

    /// Returns the operands in order of evaluation. For `lam`, the body; for `let` and `letrec`, the
    /// terms, then the body.
    #[must_use]
    pub fn operands(&self, id: TermId) -> &[TermId] {
        let node = self.node(id);
        if node.form.is_literal() {
            return &[];
        }
        let first = node.first as usize;
        &self.links[first..first + node.count as usize]
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
        self.tape.bytes()
            + self.origins.bytes()
            + self.nodes.len() * size_of::<Node>()
            + self.links.len() * 4
            + self.scattered
    }

    /// Returns the operand at `index`. There is one: the reader counted them.
    #[must_use]
    pub fn operand(&self, id: TermId, index: usize) -> TermId {
        self.operands(id)[index]
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
        &self.links[first..first + node.datum as usize]
    }

    /// Returns the only name of a `var`.
    #[must_use]
    pub fn only_name(&self, id: TermId) -> NameId {
        self.names(id)[0]
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
        let count = to_u32(operands.len());
        let datum = to_u32(names.len());
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
}

#[expect(clippy::cast_possible_truncation, reason = "the lower half is wanted")]
fn low(bits: u64) -> u32 {
    bits as u32
}
