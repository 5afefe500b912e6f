//! Looking at values: which kinds they have, and what is in them.

use super::{At, Core, Verdict};
use crate::places::{PART, Step};
use crate::values::{ANY, EVERY, Elements, Id, NEVER, Node, PlaceId, Ref};
use pif_core::fault::Code;
use pif_language::kinds::{FLOAT, INTEGER, Kinds, LIST, MAP, NUMBER, ODD, SET, STRING};

impl Core {
    /// The kinds that a value may have here.
    pub(crate) fn kinds(&self, id: Id) -> Kinds {
        let node = self.values.node(id);
        node.refs.iter().fold(node.kinds, |kinds, it| kinds | self.state.kinds(*it))
    }

    /// The value where it has one of these kinds.
    pub(crate) fn restrict(&mut self, id: Id, kinds: Kinds) -> Id {
        let mut node = (*self.values.node(id)).clone();
        if node.kinds & kinds == node.kinds && node.refs.iter().all(|it| it.mask & kinds == it.mask)
        {
            return id;
        }
        node.kinds &= kinds;
        node.refs.iter_mut().for_each(|it| it.mask &= kinds);
        self.values.make(node)
    }

    /// Looks at a value, which has one of these kinds or is forgiven.
    pub(crate) fn look(&mut self, id: Id, kinds: Kinds, forgiven: Kinds) {
        let node = self.values.node(id);
        let is_alone = node.refs.len() == 1 && node.kinds & (kinds | forgiven) == 0;
        for it in &node.refs {
            self.state.look(*it, kinds, forgiven, is_alone);
        }
    }

    /// Looks at a value that may have any kind.
    pub(crate) fn glance(&mut self, id: Id) {
        for it in &self.values.node(id).refs {
            self.state.look(*it, EVERY, 0, false);
        }
    }

    /// The value, whose references have no kinds but those that the parts surely have here.
    pub(crate) fn settle(&mut self, id: Id) -> Id {
        let state = self.state.clone();
        self.values.narrow(id, &|it| state.kinds(it))
    }

    /// Looks at a value that must have one of these kinds. Gives it as far as it has. Without any, no
    /// run goes on.
    pub(crate) fn expect(&mut self, at: At, id: Id, kinds: Kinds, forgiven: Kinds) -> Option<Id> {
        let found = self.kinds(id);
        if found & (kinds | forgiven) == 0 {
            // What is not a number has a fault of its own.
            self.doubts += u32::from(found & ODD != 0);
            if found == 0 {
                self.state.is_dead = true;
            } else {
                self.misfits.insert(at, (kinds, found));
                self.fault(at, Code::TypeMismatch);
            }
            self.doubts -= u32::from(found & ODD != 0);
            return None;
        }
        self.pass(at);
        self.look(id, kinds, forgiven);
        Some(self.restrict(id, kinds | forgiven))
    }

    /// Notes a fault that every evaluation of a place has, which ends the way.
    pub(crate) fn fault(&mut self, at: At, code: Code) {
        let always = self.branches == 0;
        let verdict =
            if self.doubts > 0 { Verdict::Passes } else { Verdict::Fails { code, always } };
        let known = self.verdicts.entry(at).or_insert(verdict);
        if let Verdict::Fails { code: other, always: certain } = known {
            if *other == code && verdict != Verdict::Passes {
                *certain |= always;
            } else {
                *known = Verdict::Passes;
            }
        }
        self.state.is_dead = true;
    }

    /// Notes that an evaluation of a place has no fault.
    pub(crate) fn pass(&mut self, at: At) {
        self.verdicts.insert(at, Verdict::Passes);
    }

    /// Looks at a value and at all that is in it.
    pub(crate) fn look_through(&mut self, id: Id) {
        let mut left = vec![id];
        let mut known = std::collections::BTreeSet::new();
        while let Some(id) = left.pop() {
            if !known.insert(id) {
                continue;
            }
            let node = self.values.node(id);
            left.extend(node.parts());
            let spread = node.record.as_ref().and_then(|it| it.spread);
            for it in node.refs.iter().chain(&spread) {
                self.values.lost.insert(it.place);
                self.state.open(it.place);
            }
        }
    }

    /// The part of the input at a step from a reference.
    pub(crate) fn part(&mut self, it: Ref, step: &Step, mask: Kinds, is_strong: bool) -> Id {
        if let Some(place) = self.places.within(it.place, step.clone()) {
            // What a function of the input gives may be anything.
            let most = if *step == Step::Result { EVERY } else { PART };
            let refs = vec![Ref { place, mask: mask & most, is_strong }];
            self.values.make(Node { refs, ..Node::default() })
        } else {
            self.values.lost.insert(it.place);
            ANY
        }
    }

    /// The type of the elements of what is gone through, and the parts of the input each of which is
    /// gone through then.
    pub(crate) fn elements(&mut self, id: Id) -> (Id, Vec<PlaceId>) {
        let node = self.values.node(id);
        let mut keep = Vec::new();
        let mut of_refs = NEVER;
        for it in node.refs.iter().copied() {
            let kinds = self.state.kinds(it);
            if kinds & LIST != 0 {
                let element = self.part(it, &Step::Element, EVERY, it.is_strong);
                if let Some(Ref { place, is_strong: true, .. }) = self.only_ref(element) {
                    keep.push(place);
                }
                of_refs = self.values.union(of_refs, element);
            }
            if kinds & STRING != 0 {
                let text = self.values.of(STRING);
                of_refs = self.values.union(of_refs, text);
            }
        }
        let own = self.own_elements(&node);
        if of_refs == NEVER {
            if let Some(Ref { place, is_strong: true, .. }) = self.only_ref(own) {
                keep.push(place);
            }
            return (own, keep);
        }
        let own = self.values.weaken(own);
        (self.values.union(of_refs, own), keep)
    }

    fn only_ref(&self, id: Id) -> Option<Ref> {
        self.values.node(id).only_ref()
    }

    /// The elements of what is no part of the input.
    fn own_elements(&mut self, node: &Node) -> Id {
        let mut parts = Vec::new();
        if node.kinds & LIST != 0 {
            parts.push(match &node.list {
                Some(elements) => self.values.element_of(elements),
                None => ANY,
            });
        }
        if node.kinds & SET != 0 {
            parts.push(node.set.unwrap_or(ANY));
        }
        if node.kinds & MAP != 0 {
            let [key, value] = node.map.unwrap_or([ANY, ANY]);
            parts.push(self.values.list_of(vec![key, value]));
        }
        if node.kinds & STRING != 0 {
            parts.push(self.values.of(STRING));
        }
        self.values.join_all(parts)
    }

    /// A list of any number of these.
    pub(crate) fn list(&mut self, element: Id) -> Id {
        let list = Some(Elements::Of(element));
        self.values.make(Node { kinds: LIST, list, ..Node::default() })
    }

    /// The kind of a number made of these by a rule of arithmetic.
    pub(crate) fn numeric(&mut self, operands: &[Id]) -> Id {
        let mut all = 0;
        let mut has_float = false;
        for operand in operands {
            let kinds = self.kinds(*operand);
            let (numbers, is_list) = if kinds & LIST == 0 {
                (kinds & NUMBER, false)
            } else {
                let (element, _) = self.elements(*operand);
                (self.kinds(element) & NUMBER, true)
            };
            // A date counts as a number of milliseconds.
            let numbers = if numbers == 0 && !is_list { NUMBER } else { numbers };
            all |= if is_list { numbers | INTEGER } else { numbers };
            has_float |= numbers == FLOAT && !is_list;
        }
        self.values.of(if has_float { FLOAT } else { all & NUMBER })
    }

    /// Whether a value may be infinity, or is not a number.
    pub(crate) fn is_odd(&self, id: Id) -> bool {
        self.kinds(id) & ODD != 0
    }
}
