//! Tools: what is known of them is their types.

use super::Core;
use crate::places::PART;
use crate::shape::{Member, Shape, Signature};
use crate::values::{ANY, Elements, Function, Id, NEVER, Node, Record};
use pif_language::kinds::{
    BOOLEAN, CONTINUATION, DATE, FLOAT, FUNCTION, INTEGER, Kinds, LIST, MAP, NULL, NUMBER, PAIR,
    QUOTED, RECORD, REGEX, SET, STRING,
};
use std::collections::BTreeMap;
use std::rc::Rc;

/// How deep a type of a tool is followed.
const DEEPEST: u32 = 8;

impl Core {
    /// The value of a tool.
    pub(crate) fn tool_value(&mut self, shapes: &[Shape], number: u32) -> Id {
        match shapes.get(number as usize) {
            Some(Shape::Function(_)) => self.function(Function::Tool { number, held: Vec::new() }),
            Some(shape) => self.value_of(shape, &BTreeMap::new(), DEEPEST),
            None => ANY,
        }
    }

    /// What a call of a tool of another server gives.
    pub(crate) fn called(&mut self, shapes: &[Shape], number: u32) -> Id {
        match shapes.get(number as usize) {
            Some(Shape::Function(signature)) if signature.gives != Shape::Never => {
                self.value_of(&signature.gives, &BTreeMap::new(), DEEPEST)
            }
            _ => ANY,
        }
    }

    /// The value of a tool's function for these arguments.
    pub(crate) fn apply_tool(&mut self, shapes: &[Shape], number: u32, arguments: Vec<Id>) -> Id {
        let Some(Shape::Function(signature)) = shapes.get(number as usize) else { return ANY };
        let count = signature.parameters.len();
        if arguments.len() < count {
            return self.function(Function::Tool { number, held: arguments });
        }
        let mut known = BTreeMap::new();
        for (argument, (_, shape)) in arguments.iter().zip(&signature.parameters) {
            self.match_shape(*argument, shape, &mut known, DEEPEST);
            self.escape(*argument);
        }
        if arguments.len() > count {
            self.values.forget_all(arguments);
            return ANY;
        }
        if signature.gives == Shape::Never {
            self.state.is_dead = true;
            return NEVER;
        }
        self.value_of(&signature.gives, &known, DEEPEST)
    }

    /// Functions that a tool gets may be applied to anything.
    fn escape(&mut self, id: Id) {
        let mut left = vec![id];
        while let Some(id) = left.pop() {
            let node = self.values.node(id);
            self.values.escaped.extend(node.functions.iter().flatten());
            left.extend(node.parts());
        }
    }

    /// Looks at an argument as the tool does, perhaps, and binds the variables of the type.
    fn match_shape(&mut self, id: Id, shape: &Shape, known: &mut BTreeMap<String, Id>, depth: u32) {
        let weak = self.values.weaken(id);
        if depth == 0 {
            self.values.forget(weak);
            return;
        }
        match shape {
            Shape::Variable(name) => {
                let before = known.get(name).copied().unwrap_or(NEVER);
                let joined = self.values.join(before, weak);
                known.insert(name.clone(), joined);
            }
            Shape::Any => self.look_through(weak),
            Shape::List(inner) => {
                self.look(weak, LIST, 0);
                let lists = self.restrict(weak, LIST);
                let (element, _) = self.elements(lists);
                self.match_shape(element, inner, known, depth - 1);
            }
            Shape::Record(members) => {
                self.look(weak, RECORD, 0);
                for member in members {
                    self.match_member(weak, member, known, depth);
                }
            }
            Shape::Null
            | Shape::Boolean
            | Shape::Integer
            | Shape::Float
            | Shape::Number
            | Shape::Text
            | Shape::Literal(_) => self.look(weak, kinds(shape), 0),
            _ => {
                self.look_through(weak);
                self.values.forget(weak);
            }
        }
    }

    fn match_member(
        &mut self,
        id: Id,
        member: &Member,
        known: &mut BTreeMap<String, Id>,
        depth: u32,
    ) {
        let key = super::members::Key::Text(Rc::from(&*member.name));
        let null = self.values.of(NULL);
        let records = self.restrict(id, RECORD);
        if self.kinds(records) == 0 {
            return;
        }
        self.doubts += 1;
        let was_dead = self.state.is_dead;
        let default = member.is_optional.then_some(null);
        let found = self.get((0, 0), records, &key, default);
        self.state.is_dead = was_dead;
        self.doubts -= 1;
        if let Some(found) = found {
            self.match_shape(found, &member.shape, known, depth - 1);
        }
    }

    /// A value of a type that is told.
    pub(crate) fn value_of(
        &mut self,
        shape: &Shape,
        known: &BTreeMap<String, Id>,
        depth: u32,
    ) -> Id {
        if depth == 0 {
            return ANY;
        }
        let inner = |core: &mut Self, shape: &Shape| core.value_of(shape, known, depth - 1);
        match shape {
            Shape::Any | Shape::Both(_) => ANY,
            Shape::Never => NEVER,
            Shape::Variable(name) => known.get(name).copied().unwrap_or(ANY),
            Shape::Literal(text) => {
                let texts = vec![Rc::from(&**text)];
                self.values.make(Node { kinds: STRING, texts, ..Node::default() })
            }
            Shape::List(element) => {
                let element = inner(self, element);
                self.list(element)
            }
            Shape::Tuple(elements) => {
                let elements: Vec<Id> = elements.iter().map(|it| inner(self, it)).collect();
                // A tuple that is told is a list, or a pair.
                let pair = match elements[..] {
                    [first, second] => Some([first, second]),
                    _ => None,
                };
                let kinds = if pair.is_some() { LIST | PAIR } else { LIST };
                let list = Some(Elements::Tuple(elements));
                self.values.make(Node { kinds, list, pair, ..Node::default() })
            }
            Shape::Record(members) => {
                let member = |core: &mut Self, it: &Member| {
                    let id = core.value_of(&it.shape, known, depth - 1);
                    (Rc::from(&*it.name), (id, it.is_optional))
                };
                let members = members.iter().map(|it| member(self, it)).collect();
                self.record(Record { members, rest: ANY, spread: None })
            }
            Shape::Dictionary(element) => {
                let rest = inner(self, element);
                self.record(Record { rest, ..Record::default() })
            }
            Shape::Map(both) => {
                let [key, value] = &**both;
                let map = Some([inner(self, key), inner(self, value)]);
                self.values.make(Node { kinds: MAP, map, ..Node::default() })
            }
            Shape::Set(element) => {
                let set = Some(inner(self, element));
                self.values.make(Node { kinds: SET, set, ..Node::default() })
            }
            Shape::Union(parts) => {
                let parts: Vec<Id> = parts.iter().map(|it| inner(self, it)).collect();
                self.values.join_all(parts)
            }
            Shape::Function(signature) => self.any_function(signature),
            _ => self.values.of(kinds(shape)),
        }
    }

    fn any_function(&mut self, _: &Signature) -> Id {
        self.values.of(FUNCTION)
    }
}

/// The kinds of a type without parts.
pub(crate) fn kinds(shape: &Shape) -> Kinds {
    match shape {
        Shape::Null => NULL,
        Shape::Boolean => BOOLEAN,
        Shape::Integer => INTEGER,
        Shape::Float => FLOAT,
        Shape::Number => NUMBER,
        Shape::Text | Shape::Literal(_) => STRING,
        Shape::List(_) => LIST,
        Shape::Tuple(_) => LIST | PAIR,
        Shape::Record(_) | Shape::Dictionary(_) | Shape::Both(_) => RECORD,
        Shape::Map(_) => MAP,
        Shape::Set(_) => SET,
        Shape::Date => DATE,
        Shape::Pattern => REGEX,
        Shape::Code => QUOTED,
        Shape::Continuation => CONTINUATION,
        Shape::Function(_) => FUNCTION,
        Shape::Never => 0,
        Shape::Any | Shape::Variable(_) => PART,
        Shape::Union(parts) => parts.iter().fold(0, |all, it| all | kinds(it)),
    }
}
