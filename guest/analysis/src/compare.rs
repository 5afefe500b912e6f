//! Which of two types takes in the other.

use crate::shape::{Member, Shape, Signature};
use std::collections::BTreeMap;

/// Deepest nesting that is compared.
const DEEPEST: u32 = 64;

impl Shape {
    /// Whether all values of the other type are of this one. False where that is not seen.
    #[must_use]
    pub fn includes(&self, other: &Self) -> bool {
        Comparison { names: BTreeMap::new(), depth: 0 }.includes(self, other)
    }

    /// Whether both are one type, whatever the order of their parts and the names of variables.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.includes(other) && other.includes(self)
    }

    /// How often the type says `any`.
    #[must_use]
    pub fn count_any(&self) -> usize {
        self.to_string().split(|c: char| !c.is_alphanumeric()).filter(|it| *it == "any").count()
    }
}

struct Comparison {
    /// Variables of the first type, each with what it stands for in the other.
    names: BTreeMap<String, Shape>,
    depth: u32,
}

impl Comparison {
    fn includes(&mut self, wide: &Shape, narrow: &Shape) -> bool {
        if self.depth >= DEEPEST {
            return false;
        }
        self.depth += 1;
        let is_included = self.is_included(wide, narrow);
        self.depth -= 1;
        is_included
    }

    fn is_included(&mut self, wide: &Shape, narrow: &Shape) -> bool {
        match (wide, narrow) {
            (Shape::Any, _)
            | (_, Shape::Never)
            | (Shape::Number, Shape::Integer | Shape::Float)
            | (Shape::Text, Shape::Literal(_)) => true,
            (_, Shape::Union(parts)) => parts.iter().all(|it| self.includes(wide, it)),
            (Shape::Union(parts), _) => parts.iter().any(|it| self.includes(it, narrow)),
            (Shape::Variable(name), _) => {
                // A variable stands for one type, and for no more than that.
                let known = self.names.entry(name.clone()).or_insert_with(|| narrow.clone());
                known == narrow && matches!(narrow, Shape::Variable(_))
            }
            (Shape::List(a), Shape::List(b)) | (Shape::Set(a), Shape::Set(b)) => {
                self.includes(a, b)
            }
            (Shape::List(a), Shape::Tuple(b)) => b.iter().all(|it| self.includes(a, it)),
            (Shape::Tuple(a), Shape::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.includes(a, b))
            }
            (Shape::Map(a), Shape::Map(b)) => a.iter().zip(&**b).all(|(a, b)| self.includes(a, b)),
            (Shape::Both(parts), _) if !matches!(narrow, Shape::Both(_)) => {
                parts.iter().all(|it| self.includes(it, narrow))
            }
            (Shape::Both(a), Shape::Both(b)) => {
                a.iter().zip(&**b).all(|(a, b)| self.includes(a, b))
            }
            (_, Shape::Both(parts)) => parts.iter().any(|it| self.includes(wide, it)),
            (Shape::Record(a), Shape::Record(b)) => a.iter().all(|it| self.has_member(it, b)),
            (Shape::Dictionary(a), Shape::Dictionary(b)) => self.includes(a, b),
            (Shape::Dictionary(a), Shape::Record(b)) => {
                b.iter().all(|it| self.includes(a, &it.shape))
            }
            (Shape::Record(a), Shape::Dictionary(b)) => {
                a.iter().all(|it| it.is_optional && self.includes(&it.shape, b))
            }
            (Shape::Function(a), Shape::Function(b)) => self.includes_function(a, b),
            _ => wide == narrow,
        }
    }

    fn has_member(&mut self, member: &Member, members: &[Member]) -> bool {
        let found = members.iter().find(|it| it.name == member.name);
        match found {
            Some(it) => {
                (member.is_optional || !it.is_optional) && self.includes(&member.shape, &it.shape)
            }
            None => member.is_optional,
        }
    }

    /// Functions are compared as they are told: each parameter and the value.
    fn includes_function(&mut self, wide: &Signature, narrow: &Signature) -> bool {
        wide.parameters.len() == narrow.parameters.len()
            && wide
                .parameters
                .iter()
                .zip(&narrow.parameters)
                .all(|(a, b)| self.includes(&a.1, &b.1))
            && self.includes(&wide.gives, &narrow.gives)
    }
}
