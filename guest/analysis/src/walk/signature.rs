//! Forms whose row says in types what they take and give.

use super::{At, Core, Walk};
use crate::values::{ANY, EnvId, Id, NEVER, Node, PlaceId, Record};
use pif_language::kinds::{FUNCTION, Kinds, LIST, MAP, NULL, NUMBER, RECORD, SET, STRING};
use pif_language::term::TermId;
use pif_language::typing::Type;
use std::rc::Rc;

/// What the variables of a rule stand for.
#[derive(Debug, Default)]
struct Bound {
    variables: [Option<Id>; 2],
    /// The parts of the input each of which the form goes through.
    keep: Vec<PlaceId>,
}

impl Walk<'_> {
    pub(crate) async fn signature(
        &self,
        term: TermId,
        env: EnvId,
        takes: &'static [Type],
        gives: &Type,
    ) -> Id {
        let Some(mut values) = self.operands(term, env).await else { return NEVER };
        let is_odd = self.with(|core| values.iter().any(|it| core.is_odd(*it)));
        self.with(|core| core.doubts += u32::from(is_odd));
        let given = self.matched(term, takes, &mut values).await;
        let id = match given {
            Some(bound) => self.with(|core| core.build(gives, &bound, &values, values.len())),
            None => NEVER,
        };
        self.with(|core| core.doubts -= u32::from(is_odd));
        id
    }

    /// Compares the operands with what the form takes, and applies its functions.
    async fn matched(
        &self,
        term: TermId,
        takes: &'static [Type],
        values: &mut [Id],
    ) -> Option<Bound> {
        let mut bound = Bound::default();
        let taken = |at: usize| takes.get(at).or(takes.last()).unwrap_or(&Type::Any);
        for (at, value) in values.iter_mut().enumerate() {
            let wanted = taken(at);
            if !matches!(wanted, Type::Function(..)) {
                *value = self.with(|core| core.accept((term, at), *value, wanted, &mut bound))?;
            }
        }
        for (at, value) in values.iter().enumerate() {
            if let Type::Function(arguments, result) = taken(at) {
                let function = self.with(|core| core.expect_function((term, at), *value))?;
                self.each((term, at), function, (arguments, result), &mut bound).await;
            }
        }
        Some(bound)
    }

    /// Applies a function to each element. A list may be empty, so what the function asks of the rest
    /// of the input is perhaps not asked.
    async fn each(
        &self,
        at: At,
        function: Id,
        (arguments, result): (&[Type], &Type),
        bound: &mut Bound,
    ) {
        let before = self.with(|core| {
            core.branches += 1;
            core.state.clone()
        });
        let values =
            self.with(|core| arguments.iter().map(|it| core.build(it, bound, &[], 1)).collect());
        let given = self.apply(at, function, values).await;
        self.with(|core| {
            core.branches -= 1;
            if !core.state.is_dead {
                core.doubts += 1;
                core.accept_part(given, result, bound);
                core.doubts -= 1;
            }
            core.meet(before, &bound.keep);
        });
    }
}

impl Core {
    /// Joins what was asked before a loop with what was asked in it, of each of the parts that it
    /// goes through.
    pub(crate) fn meet(&mut self, before: crate::places::State, keep: &[PlaceId]) {
        let after = std::mem::replace(&mut self.state, before);
        let places = &self.places;
        let is_kept = |place| keep.iter().any(|it| places.is_within(place, *it));
        self.state.meet(after, places, is_kept);
    }

    /// Takes an operand, and binds the variables of its type.
    fn accept(&mut self, at: At, id: Id, wanted: &Type, bound: &mut Bound) -> Option<Id> {
        let (kinds, forgiven) = wanted_kinds(wanted);
        let id = match wanted {
            Type::Any => {
                self.pass(at);
                return Some(id);
            }
            Type::Deep => {
                self.pass(at);
                self.look_through(id);
                return Some(id);
            }
            _ => self.expect(at, id, kinds, forgiven)?,
        };
        self.accept_part(id, wanted, bound);
        Some(id)
    }

    /// Takes a value that may be missing, so that it makes no fault.
    fn accept_part(&mut self, id: Id, wanted: &Type, bound: &mut Bound) {
        match wanted {
            Type::A | Type::B => {
                let at = usize::from(matches!(wanted, Type::B));
                if let Some(variable) = bound.variables.get_mut(at) {
                    let joined = variable.map_or(id, |known| self.values.join(known, id));
                    *variable = Some(joined);
                }
            }
            Type::Some(inner) => {
                let weak = self.values.weaken(id);
                self.accept_part(weak, inner, bound);
            }
            Type::List(element) | Type::Iterable(element) => {
                let (own, keep) = self.elements(id);
                let is_some = matches!(element, Type::Some(_));
                bound.keep.extend(keep.into_iter().filter(|_| !is_some));
                self.accept_part(own, element, bound);
            }
            Type::Deep => self.look_through(id),
            Type::Any => {}
            _ => {
                let (kinds, forgiven) = wanted_kinds(wanted);
                self.look(id, kinds, forgiven);
            }
        }
    }

    /// Makes the type that a form gives.
    fn build(&mut self, wanted: &Type, bound: &Bound, operands: &[Id], count: usize) -> Id {
        let inner = |core: &mut Self, wanted: &Type| core.build(wanted, bound, operands, count);
        match wanted {
            Type::Any | Type::Deep | Type::Function(..) => ANY,
            Type::Of(kinds) => self.values.of(*kinds),
            Type::A => bound.variables[0].unwrap_or(NEVER),
            Type::B => bound.variables[1].unwrap_or(NEVER),
            Type::Maybe(part) => {
                let (part, null) = (inner(self, part), self.values.of(NULL));
                self.values.join(part, null)
            }
            Type::Some(part) => {
                let part = inner(self, part);
                self.values.weaken(part)
            }
            Type::List(element) | Type::Iterable(element) => {
                let element = inner(self, element);
                self.list(element)
            }
            Type::Tuple(elements) => {
                let elements = elements.iter().map(|it| inner(self, it)).collect();
                self.values.list_of(elements)
            }
            Type::Record(members) => {
                let member = |core: &mut Self, (name, it): &(&str, Type)| {
                    (Rc::from(*name), (core.build(it, bound, operands, count), false))
                };
                let members = members.iter().map(|it| member(self, it)).collect();
                self.record(Record { members, ..Record::default() })
            }
            Type::Dictionary(part) => {
                let rest = inner(self, part);
                self.record(Record { rest, ..Record::default() })
            }
            Type::Or(parts) => {
                let parts: Vec<Id> = parts.iter().map(|it| inner(self, it)).collect();
                self.values.join_all(parts)
            }
            Type::Numeric => self.numeric(operands),
            Type::Counted(one, more) => inner(self, if count < 2 { one } else { more }),
        }
    }

    /// A record with these members.
    pub(crate) fn record(&mut self, record: Record) -> Id {
        let record = Some(self.values.few_members(record));
        self.values.make(Node { kinds: RECORD, record, ..Node::default() })
    }
}

/// The kinds that a type takes, and those that count as not looked at.
fn wanted_kinds(wanted: &Type) -> (Kinds, Kinds) {
    match wanted {
        Type::Of(kinds) => (*kinds, 0),
        Type::Maybe(inner) => (wanted_kinds(inner).0, NULL),
        Type::Some(inner) => wanted_kinds(inner),
        Type::List(_) | Type::Tuple(_) => (LIST, 0),
        Type::Iterable(_) => (LIST | STRING | MAP | SET, NULL),
        Type::Record(_) | Type::Dictionary(_) => (RECORD, 0),
        Type::Function(..) => (FUNCTION, 0),
        Type::Numeric => (NUMBER, 0),
        Type::Or(parts) => parts.iter().fold((0, 0), |(kinds, forgiven), it| {
            let (more, mild) = wanted_kinds(it);
            (kinds | more, forgiven | mild)
        }),
        Type::Any | Type::Deep | Type::A | Type::B | Type::Counted(..) => (Kinds::MAX, 0),
    }
}
