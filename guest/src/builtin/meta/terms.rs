//! Terms made while a program runs: quotes with holes, terms as data, and data as terms.
//!
//! The new terms stay until the end of the run and count as memory.

use crate::algorithm::trouble::Trouble;
use crate::builtin::call::Call;
use pif_language::kinds::Wanted;

use crate::data::values::{self, Meaning};

use crate::algorithm::weight;
use crate::algorithm::weight::Weighed;
use crate::builtin::strings::reading::{self, not_finite};
use crate::data::show;
use crate::data::show::Unwritten;
use crate::run::state::Exit;
use pif_language::parse::{Reading, parse};

use crate::data::literal;
use crate::memory::word::{IMMEDIATE, KIND_QUOTED, Word, aux, kind, quoted, tag};
use pif_language::print;
use pif_language::quasiquote;
use pif_language::term::{Origin, TermId};
use std::rc::Rc;

impl Call<'_> {
    /// Returns the term that is evaluated.
    fn term(&self) -> TermId {
        self.image.term(self.at)
    }
}

/// Fills a quote with holes. The operands are the values for them.
pub(crate) fn fill(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (quote, budget) = (c.term(), c.budget());
    let values: Vec<Word> = match c.len() {
        0 => c.list(0)?,
        n => (0..n).map(|i| c.operand(i)).collect(),
    };
    let terms = Rc::clone(&c.s.terms);
    let (mut work, mut odd) = (0, None);
    let nodes = quasiquote::outline(&terms, quote).map(|term| weight::of_node(&terms, term));
    for node in nodes {
        work += node;
        if work > budget {
            break;
        }
    }
    for (i, v) in values.iter().enumerate() {
        if work > budget || odd.is_some() {
            break;
        }
        let weighed = weight::of_value(&c.s.heap, &terms, *v, budget - work);
        work += weighed.work;
        odd = weighed.odd.map(|v| (i, v));
    }
    drop(terms);
    c.charge(work)?;
    if let Some((operand, v)) = odd {
        return Err(c.s.wrong_type(operand, v, Wanted::Literal));
    }
    c.s.may_build(work)?;
    let terms = Rc::make_mut(&mut c.s.terms);
    let before = terms.bytes();
    let holes: Vec<TermId> = terms.evaluated(quote).to_vec();
    let mut parts = Vec::with_capacity(holes.len());
    for (hole, v) in holes.into_iter().zip(values) {
        let token = terms.node(hole).token;
        parts.push(literal::make(&c.s.heap, terms, token, v)?);
    }
    let filled = quasiquote::fill(terms, quote, &parts);
    let built = terms.bytes() - before;
    c.s.account_built(built)?;
    Ok(quoted(filled, 0))
}

pub(crate) fn term_to_data(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (x, budget) = (c.operand(0), c.budget());
    if tag(x) != IMMEDIATE || kind(x) != KIND_QUOTED {
        return Err(c.refuse(0));
    }
    let work = weight::of_term(&c.s.terms, aux(x), budget);
    c.charge(work)?;
    c.s.may_build(work)?;
    let full = || Trouble::Full("the term does not fit into memory as data");
    let text = print::data(&c.s.terms, aux(x));
    c.room(reading::words(&text).map_err(|_| full())?)?;
    let value = values::read(&mut c.s.heap, &text, Meaning::Data, u64::MAX);
    Ok(value.map_err(|_| full())?.word)
}

pub(crate) fn data_to_term(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (x, budget, token) = (c.operand(0), c.budget(), c.s.terms.node(c.term()).token);
    let Weighed { work, odd } = weight::of_value(&c.s.heap, &c.s.terms, x, budget);
    c.charge(work)?;
    if let Some(v) = odd {
        return Err(c.s.wrong_type(0, v, Wanted::PlainData));
    }
    c.s.may_build(work)?;
    let full = |unwritten| match unwritten {
        Unwritten::NotFinite(odd) => not_finite(&c.s.heap, 0, odd),
        Unwritten::TooLong => Trouble::Full("the data does not fit into memory as a term"),
    };
    let (text, _) = show::json(&c.s.heap, &c.s.terms, &[], x, usize::MAX).map_err(full)?;
    let terms = Rc::make_mut(&mut c.s.terms);
    let before = terms.bytes();
    let parsed = parse(terms, &text, Origin::Decoded(token), Reading::Code);
    let (built, (_, here)) = (terms.bytes() - before, terms.place(token));
    c.s.account_built(built)?;
    let parsed = parsed.map_err(|mut fault| {
        if let Some(at) = fault.at.strip_prefix(&here).filter(|at| !at.is_empty()) {
            fault.message = format!("{}, at {at} of the data", fault.message);
        }
        Trouble::Here(Box::new(fault))
    })?;
    Ok(quoted(parsed.root, 0))
}
