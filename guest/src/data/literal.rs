//! Makes literal terms of values.

use crate::algorithm::entries;
use crate::algorithm::number::value::Number;
use crate::memory::heap::{Full, Heap};
use crate::memory::tagged::{DATE, MAP, REGEX};
use pif_core::json::tape::TokenId;
use pif_language::form::Form;

use crate::memory::word::{
    FALSE, IMMEDIATE, KIND_QUOTED, KIND_RECORD, PAIR, TRUE, UNIT, Word, aux, index, is_list, kind,
    tag,
};
use pif_core::json::number::Integer;
use pif_language::term::{NameId, TermId, Terms};

/// Work left to do, the next piece last.
pub(crate) enum Work {
    /// Makes the literal of a value. It may be a name for it, if the value is not being defined.
    Value { word: Word, is_definition: bool },
    /// Takes a term that is there.
    Term(TermId),
    /// Makes one term of the last terms, with these names.
    Build(Form, usize, Vec<NameId>),
}

impl Work {
    pub(crate) fn value(word: Word) -> Self {
        Self::Value { word, is_definition: false }
    }
}

/// Makes the literal of a value without functions and continuations. A quoted term stands for
/// itself.
pub(crate) fn make(
    heap: &Heap,
    terms: &mut Terms,
    token: TokenId,
    value: Word,
) -> Result<TermId, Full> {
    Maker { heap, terms, token, most: usize::MAX }
        .make(vec![Work::value(value)], |_, _, _| Ok(None))
}

/// Makes terms of values.
pub(crate) struct Maker<'m> {
    pub(crate) heap: &'m Heap,
    pub(crate) terms: &'m mut Terms,
    /// The token of all new terms.
    pub(crate) token: TokenId,
    /// The most terms to make.
    pub(crate) most: usize,
}

impl Maker<'_> {
    /// Does the work. Of each value `other` is asked first: it may know work, in its order, that makes
    /// another term than the literal.
    pub(crate) fn make(
        &mut self,
        mut work: Vec<Work>,
        mut other: impl FnMut(&mut Terms, Word, bool) -> Result<Option<Vec<Work>>, Full>,
    ) -> Result<TermId, Full> {
        let (mut done, mut made) = (Vec::new(), 0);
        while let Some(step) = work.pop() {
            made += 1;
            if made > self.most {
                return Err(Full);
            }
            match step {
                Work::Value { word: v, is_definition } => {
                    if let Some(others) = other(self.terms, v, is_definition)? {
                        work.extend(others.into_iter().rev());
                    } else if entries::is_one(self.heap, v) {
                        of_map(self.heap, v, &mut work);
                    } else if let Some((form, values, names)) = parts(self.heap, self.terms, v) {
                        work.push(Work::Build(form, values.len(), names));
                        work.extend(values.into_iter().rev().map(Work::value));
                    } else {
                        done.push(scalar(self.heap, self.terms, self.token, v)?);
                    }
                }
                Work::Term(term) => done.push(term),
                Work::Build(form, count, names) => {
                    let operands: Vec<TermId> = done.split_off(done.len() - count);
                    done.push(self.terms.add(form, self.token, &operands, &names));
                }
            }
        }
        Ok(done.pop().unwrap_or_default())
    }
}

/// Schedules the literal of a map or set.
fn of_map(heap: &Heap, map: Word, work: &mut Vec<Work>) {
    let (entries, is_map) = (entries::of(heap, map), heap.tagged(map) == MAP);
    let form = if is_map { Form::ToMap } else { Form::ToSet };
    let build = |form, count| Work::Build(form, count, Vec::new());
    work.extend([build(form, 1), build(Form::List, entries.len())]);
    for [key, value] in entries.into_iter().rev() {
        if is_map {
            work.extend([build(Form::List, 2), Work::value(value)]);
        }
        work.push(Work::value(key));
    }
}

/// Returns the form that makes a compound value, its parts and their names.
fn parts(heap: &Heap, terms: &mut Terms, v: Word) -> Option<(Form, Vec<Word>, Vec<NameId>)> {
    let v = heap.without_match(v);
    if is_list(v) {
        return Some((Form::List, heap.elements(v), Vec::new()));
    }
    if tag(v) == PAIR {
        return Some((Form::Pair, heap.cell(index(v)).to_vec(), Vec::new()));
    }
    if heap.tagged(v) == DATE {
        return Some((Form::Moment, heap.tagged_words::<1>(v).to_vec(), Vec::new()));
    }
    if heap.tagged(v) == REGEX {
        return Some((Form::Regex, heap.tagged_words::<2>(v).to_vec(), Vec::new()));
    }
    if heap.object_kind(v) != KIND_RECORD {
        return None;
    }
    let members = heap.members(v);
    let keys = members.iter().step_by(2).map(|key| terms.intern(&heap.string(*key)));
    let names = keys.collect();
    Some((Form::Record, members.iter().skip(1).step_by(2).copied().collect(), names))
}

fn scalar(heap: &Heap, terms: &mut Terms, token: TokenId, v: Word) -> Result<TermId, Full> {
    if heap.is_text(v) {
        return terms.add_new_text(token, &heap.string(v)).ok_or(Full);
    }
    Ok(match Number::of(heap, v) {
        Some(Number::Small(n)) => terms.add_integer(token, Integer::Small(n)),
        Some(Number::Big(n)) => {
            let n = i64::try_from(&n).map_or_else(|_| Integer::Big(n), Integer::Small);
            terms.add_integer(token, n)
        }
        Some(Number::Float(n)) => terms.add_float(token, n),
        None => match v {
            TRUE | FALSE => terms.add_boolean(token, v == TRUE),
            UNIT => terms.add_unit(token),
            _ if heap.as_no_number(v).is_some() => terms.add_float(token, f64::NAN),
            _ if tag(v) == IMMEDIATE && kind(v) == KIND_QUOTED => aux(v),
            _ => terms.add_unit(token),
        },
    })
}
