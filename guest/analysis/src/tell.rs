//! What the walk knows, as types for people.

use crate::places::{ABSENT, Asked, DATA, DEMANDED, KINDS, Step, TESTED, low};
use crate::shape::{Member, Shape, Signature};
use crate::values::{ANY, EVERY, Elements, FunctionId, Id, NEVER, Node, PlaceId, Record, Ref};
use crate::walk::whole::Found;
use pif_language::kinds::{
    BOOLEAN, CONTINUATION, DATE, FLOAT, FUNCTION, INTEGER, Kinds, LIST, MAP, NULL, NUMBER, PAIR,
    QUOTED, RECORD, REGEX, SET, STRING,
};
use std::collections::{BTreeMap, BTreeSet};

/// How much of a part of the input is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    /// What it is where a run looks at it.
    Looked,
    /// What it surely is if the program has a value.
    Sure,
    /// The same, for those who only ask what an input may be.
    Accepted,
}

/// Names of variables of types.
const NAMES: [&str; 8] = ["T", "U", "V", "W", "A", "B", "C", "D"];
/// How deep functions within functions are told.
const DEEPEST: u32 = 4;

/// Tells types.
#[derive(Debug)]
pub(crate) struct Teller<'f> {
    found: &'f Found,
    /// Parts of the input of which nothing is asked and which are given on.
    passed: BTreeSet<PlaceId>,
    names: BTreeMap<PlaceId, String>,
    depth: u32,
}

impl<'f> Teller<'f> {
    pub(crate) fn new(found: &'f Found) -> Self {
        let mut teller = Self { found, passed: BTreeSet::new(), names: BTreeMap::new(), depth: 0 };
        // Types of what is given say which parts are given on.
        teller.value(found.gives);
        let arguments: Vec<Id> = found.core.places.arguments.values().flatten().copied().collect();
        for id in arguments {
            teller.value(id);
        }
        teller
    }

    /// The whole type: parameters and value.
    pub(crate) fn signature(&mut self, parameters: &[(String, PlaceId)], gives: Id) -> Signature {
        let tell = |teller: &mut Self| -> Vec<(String, Shape)> {
            let told =
                |it: &(String, PlaceId)| (it.0.clone(), teller.part(it.1, EVERY, View::Looked));
            parameters.iter().map(told).collect()
        };
        // The first time finds the names of variables, in order.
        tell(self);
        let parameters_told = tell(self);
        let places = &self.found.core.places;
        let is_own = |place: PlaceId| parameters.iter().any(|it| places.is_within(place, it.1));
        let own = self.names.iter().filter(|it| is_own(*it.0)).map(|it| it.1.clone());
        let mut variables: Vec<String> = own.collect();
        variables.sort_by_key(|it| NAMES.iter().position(|name| name == it));
        let gives = self.value(gives);
        Signature { variables, parameters: parameters_told, gives }
    }

    /// What is surely true of a parameter if the program has a value.
    pub(crate) fn accepted(&mut self, place: PlaceId) -> Shape {
        self.part(place, EVERY, View::Accepted)
    }

    /// The type of a value.
    pub(crate) fn value(&mut self, id: Id) -> Shape {
        self.viewed(id, View::Sure)
    }

    /// The type of a value that is looked at next: of the parts of the input that it may be, all that the
    /// program looks at.
    pub(crate) fn looked(&mut self, id: Id) -> Shape {
        self.viewed(id, View::Looked)
    }

    fn viewed(&mut self, id: Id, view: View) -> Shape {
        match id {
            ANY => return Shape::Any,
            NEVER => return Shape::Never,
            _ => {}
        }
        let node = self.found.core.values.node(id);
        if node.kinds == EVERY {
            return Shape::Any;
        }
        let mut parts = scalars(node.kinds);
        if node.kinds & STRING != 0 {
            if node.texts.is_empty() {
                parts.push(Shape::Text);
            }
            parts.extend(node.texts.iter().map(|it| Shape::Literal(it.to_string())));
        }
        self.containers(&node, &mut parts);
        if node.kinds & FUNCTION != 0 {
            match &node.functions {
                Some(functions) => {
                    parts.extend(functions.iter().map(|it| self.function(*it)));
                }
                None => parts.push(any_function()),
            }
        }
        for it in &node.refs {
            parts.push(self.part(it.place, it.mask, view));
        }
        Shape::union(parts)
    }

    fn containers(&mut self, node: &Node, parts: &mut Vec<Shape>) {
        if node.kinds & LIST != 0 {
            parts.push(match &node.list {
                None => Shape::List(Box::new(Shape::Any)),
                Some(Elements::Of(element)) => Shape::List(Box::new(self.value(*element))),
                Some(Elements::Tuple(elements)) => {
                    Shape::Tuple(elements.iter().map(|it| self.value(*it)).collect())
                }
            });
        }
        if node.kinds & PAIR != 0 {
            let halves = node.pair.unwrap_or([ANY, ANY]);
            parts.push(Shape::Tuple(halves.iter().map(|it| self.value(*it)).collect()));
        }
        if node.kinds & RECORD != 0 {
            parts.push(match &node.record {
                None => Shape::Dictionary(Box::new(Shape::Any)),
                Some(record) => self.record(record),
            });
        }
        if node.kinds & MAP != 0 {
            let map = node.map.unwrap_or([ANY, ANY]);
            parts.push(Shape::Map(Box::new(map.map(|it| self.value(it)))));
        }
        if node.kinds & SET != 0 {
            let element = self.value(node.set.unwrap_or(ANY));
            parts.push(Shape::Set(Box::new(element)));
        }
    }

    fn record(&mut self, record: &Record) -> Shape {
        let mut members = Vec::new();
        for (name, (id, is_optional)) in &record.members {
            let shape = self.value(*id);
            if shape != Shape::Never {
                members.push(Member { name: name.to_string(), shape, is_optional: *is_optional });
            }
        }
        let Some(Ref { place, .. }) = record.spread else {
            return match record.rest {
                NEVER => Shape::Record(members),
                rest if members.is_empty() => Shape::Dictionary(Box::new(self.value(rest))),
                _ => Shape::Record(members),
            };
        };
        match self.part(place, RECORD, View::Sure) {
            Shape::Record(mut known) => {
                known.retain(|it| members.iter().all(|member| member.name != it.name));
                known.extend(members);
                Shape::Record(known)
            }
            Shape::Variable(name) => {
                let both = [Shape::Variable(name), Shape::Record(members)];
                Shape::Both(Box::new(both))
            }
            _ => Shape::Record(members),
        }
    }

    fn function(&mut self, id: FunctionId) -> Shape {
        let Some(applied) = self.found.functions.get(&id).cloned() else { return any_function() };
        if self.depth >= DEEPEST {
            return any_function();
        }
        self.depth += 1;
        let signature = self.signature(&applied.parameters, applied.gives);
        self.depth -= 1;
        Shape::Function(Box::new(signature))
    }

    /// The type of a part of the input.
    fn part(&mut self, place: PlaceId, mask: Kinds, view: View) -> Shape {
        let core = &self.found.core;
        let request = core.state.request(place);
        let is_lost = core.values.lost.iter().any(|it| core.places.is_within(place, *it));
        let asked: Asked = match view {
            View::Looked if is_lost && low(request.looked) != 0 => request.looked | request.sure,
            View::Looked => request.looked & (request.sure | !KINDS),
            View::Sure | View::Accepted => request.sure,
        };
        let kinds = low(asked) & mask;
        let is_untouched = low(request.looked) == 0 && low(request.sure) == EVERY;
        if is_untouched && is_nearly_any(mask) {
            if view == View::Sure {
                self.passed.insert(place);
            }
            return self.variable(place, view);
        }
        if is_nearly_any(kinds) || low(asked) == 0 && view == View::Looked {
            return Shape::Any;
        }
        if mask == RECORD && is_untouched {
            self.passed.insert(place);
        }
        let mut parts = scalars(kinds & (DATA | FUNCTION));
        if kinds & STRING != 0 {
            parts.push(Shape::Text);
        }
        if kinds & LIST != 0 {
            parts.push(self.list_part(place, view));
        }
        if kinds & RECORD != 0 {
            parts.push(self.record_part(place, view));
        }
        if kinds & FUNCTION != 0 {
            parts.push(self.function_part(place, view));
        }
        // Of kinds that no data has, those that are asked for alone, or that a value may have.
        let others = kinds & !(DATA | FUNCTION);
        if parts.is_empty() || view == View::Sure {
            parts.extend(scalars(others));
            if others & PAIR != 0 && kinds & LIST == 0 {
                parts.push(self.list_part(place, view));
            }
            if others & MAP != 0 {
                parts.push(Shape::Map(Box::new([Shape::Any, Shape::Any])));
            }
            if others & SET != 0 {
                parts.push(Shape::Set(Box::new(Shape::Any)));
            }
        }
        Shape::union(parts)
    }

    /// A part of which nothing is asked: a variable where it is given on.
    fn variable(&mut self, place: PlaceId, view: View) -> Shape {
        if view == View::Accepted {
            return Shape::Any;
        }
        if let Some(name) = self.names.get(&place) {
            return Shape::Variable(name.clone());
        }
        if view == View::Sure || !self.passed.contains(&place) {
            return Shape::Any;
        }
        match NAMES.get(self.names.len()) {
            Some(name) => {
                self.names.insert(place, (*name).to_owned());
                Shape::Variable((*name).to_owned())
            }
            None => Shape::Any,
        }
    }

    fn list_part(&mut self, place: PlaceId, view: View) -> Shape {
        let mut element = None;
        let mut tuple = BTreeMap::new();
        for (step, child) in self.found.core.places.children(place) {
            match step {
                Step::Element => element = Some(self.part(child, EVERY, view)),
                Step::Index(index) => {
                    tuple.insert(index, self.part(child, EVERY, view));
                }
                _ => {}
            }
        }
        let is_whole = tuple.keys().enumerate().all(|(at, index)| at == usize::from(*index));
        let is_tuple = element.is_none() && is_whole && tuple.len() > 1;
        if is_tuple && view == View::Looked {
            return Shape::Tuple(tuple.into_values().collect());
        }
        let shapes = match (view, element) {
            // Of elements that are not surely asked for nothing is known.
            (View::Sure | View::Accepted, element) => element.into_iter().collect(),
            (View::Looked, element) => {
                element.into_iter().chain(tuple.into_values()).collect::<Vec<_>>()
            }
        };
        let shape = if shapes.is_empty() { Shape::Any } else { Shape::union(shapes) };
        Shape::List(Box::new(shape))
    }

    fn record_part(&mut self, place: PlaceId, view: View) -> Shape {
        let mut members = Vec::new();
        let mut under_any_key = None;
        for (step, child) in self.found.core.places.children(place) {
            let request = self.found.core.state.request(child);
            match step {
                Step::Member(name) => {
                    let is_optional = match view {
                        // What is only tested people write as if it were there.
                        View::Looked if low(request.looked) == 0 => {
                            request.looked & (DEMANDED | TESTED) == 0
                        }
                        View::Looked => request.looked & DEMANDED == 0,
                        View::Sure | View::Accepted => request.sure & ABSENT != 0,
                    };
                    let shape = self.part(child, EVERY, view);
                    if view != View::Looked && is_optional && shape == Shape::Any {
                        continue;
                    }
                    members.push(Member { name: name.to_string(), shape, is_optional });
                }
                Step::Key => {
                    let is_looked = low(request.looked) != 0;
                    under_any_key = Some((self.part(child, EVERY, view), is_looked));
                }
                _ => {}
            }
        }
        if view != View::Looked {
            under_any_key = None;
        }
        if members.is_empty() {
            let shape = under_any_key.map_or(Shape::Any, |it| it.0);
            return Shape::Dictionary(Box::new(shape));
        }
        if let Some((shape, true)) = under_any_key {
            // A key that is computed may be any of these.
            for member in &mut members {
                member.shape = Shape::union([member.shape.clone(), shape.clone()]);
            }
        }
        Shape::Record(members)
    }

    fn function_part(&mut self, place: PlaceId, view: View) -> Shape {
        if self.depth >= DEEPEST {
            return any_function();
        }
        // A function may be among its own arguments.
        self.depth += 1;
        let shape = self.applied_part(place, view);
        self.depth -= 1;
        shape
    }

    fn applied_part(&mut self, place: PlaceId, view: View) -> Shape {
        let places = &self.found.core.places;
        let arguments = places.arguments.get(&place).cloned().unwrap_or_default();
        let result = places.find(place, Step::Result);
        let names = ["x", "y", "z", "u", "v", "w"];
        let parameter = |teller: &mut Self, (at, id): (usize, &Id)| {
            (names.get(at).copied().unwrap_or("more").to_owned(), teller.value(*id))
        };
        let parameters: Vec<(String, Shape)> =
            arguments.iter().enumerate().map(|it| parameter(self, it)).collect();
        if parameters.is_empty() {
            return any_function();
        }
        let gives = result.map_or(Shape::Any, |it| self.part(it, EVERY, view));
        let variables = Vec::new();
        Shape::Function(Box::new(Signature { variables, parameters, gives }))
    }
}

/// A function of which nothing is known.
pub(crate) fn any_function() -> Shape {
    let parameters = vec![("x".to_owned(), Shape::Any)];
    Shape::Function(Box::new(Signature { variables: Vec::new(), parameters, gives: Shape::Any }))
}

/// Whether kinds are all that data has, or all but one.
fn is_nearly_any(kinds: Kinds) -> bool {
    let each = [NULL, BOOLEAN, NUMBER, STRING, LIST, RECORD];
    each.iter().filter(|it| kinds & **it != **it).count() <= 1
}

/// The types of kinds that have no parts.
pub(crate) fn scalars(kinds: Kinds) -> Vec<Shape> {
    let all = [
        (NULL, Shape::Null),
        (BOOLEAN, Shape::Boolean),
        (NUMBER, Shape::Number),
        (INTEGER, Shape::Integer),
        (FLOAT, Shape::Float),
        (DATE, Shape::Date),
        (REGEX, Shape::Pattern),
        (QUOTED, Shape::Code),
        (CONTINUATION, Shape::Continuation),
    ];
    let mut left = kinds;
    let mut shapes = Vec::new();
    for (kind, shape) in all {
        if left & kind == kind {
            left &= !kind;
            shapes.push(shape);
        }
    }
    shapes
}
