//! Places: variables, and paths of members that begin at a variable. They are read and written
//! here.

use crate::ast::{Binary, ExprId, PatternId, Span, Target, What};
use crate::lexer::Wrong;
use crate::lower::context::{Cx, Lowered};
use crate::lower::flow::Key;
use crate::lower::resolve::{Origin, VarId};
use crate::tree;
use crate::tree::Id;
use pif_language::form::Form;

/// A step of a path to a place.
#[derive(Clone, Copy, Debug)]
pub(super) enum PlaceStep<'s> {
    Name(&'s str, Span),
    Index(ExprId),
    /// `map.get(k)`
    Lookup(ExprId),
    /// `list.at(i)`
    At(ExprId),
    /// `list.find(f)`
    Found(ExprId),
    /// The target of an assignment, which is executed first.
    Assigned(ExprId),
}

/// A place as it is written.
#[derive(Clone, Debug)]
pub(super) struct Place<'s> {
    pub(super) root: VarId,
    pub(super) steps: Vec<PlaceStep<'s>>,
}

impl Place<'_> {
    /// Tells how many levels below the variable the place is.
    pub(super) fn depth(&self) -> usize {
        self.steps.iter().filter(|step| !matches!(step, PlaceStep::Assigned(_))).count()
    }
}

impl<'s> Cx<'_, 's> {
    /// Reads an expression as a place, if it is one.
    pub(super) fn place_of(&self, id: ExprId) -> Option<Place<'s>> {
        let mut first = id;
        let mut steps = Vec::new();
        loop {
            match &self.ast.expr(first).what {
                What::Name(_) => {
                    let root = self.var_of(first)?;
                    steps.reverse();
                    return Some(Place { root, steps });
                }
                What::Member { object, name, name_at, is_optional: false } => {
                    steps.push(PlaceStep::Name(name, (*name_at, self.span(first).1)));
                    first = *object;
                }
                What::Index { object, index, is_optional: false } => {
                    steps.push(PlaceStep::Index(*index));
                    first = *object;
                }
                What::Call { callee, arguments, .. } => match &self.ast.expr(*callee).what {
                    What::Member { object, name: "find" | "findLast", .. } => {
                        steps.push(PlaceStep::Found(first));
                        first = *object;
                    }
                    What::Member { object, name, .. } => {
                        let argument = arguments.first().map(|item| item.value)?;
                        match *name {
                            "get" => steps.push(PlaceStep::Lookup(argument)),
                            "at" => steps.push(PlaceStep::At(argument)),
                            _ => return None,
                        }
                        first = *object;
                    }
                    _ => return None,
                },
                _ => {
                    let (target, ..) = self.assignment(first)?;
                    steps.push(PlaceStep::Assigned(first));
                    match self.ast.pattern(target).what {
                        Target::Path(path) => first = path,
                        Target::Name(_) => {
                            let root = self.target(target)?;
                            steps.reverse();
                            return Some(Place { root, steps });
                        }
                        _ => return None,
                    }
                }
            }
        }
    }

    /// The target, the operator and the value of an assignment. `m[k] || (m[k] = x)` is one, too:
    /// `m[k] ||= x`.
    fn assignment(&self, id: ExprId) -> Option<(PatternId, Option<Binary>, ExprId)> {
        match self.ast.expr(id).what {
            What::Assign { target, operator, value } => Some((target, operator, value)),
            What::Binary { operator: choice, left, right }
                if matches!(choice, Binary::Or | Binary::Nullish) =>
            {
                let What::Assign { target, operator: None, value } = self.ast.expr(right).what
                else {
                    return None;
                };
                let Target::Path(path) = self.ast.pattern(target).what else { return None };
                let is_one = self.is_one_place(&self.place_of(left)?, &self.place_of(path)?);
                is_one.then_some((target, Some(choice), value))
            }
            _ => None,
        }
    }

    /// Lowers the keys of a place to terms that may be used twice. Executes the assignments within
    /// the path.
    pub(super) async fn place_keys(&self, place: &Place<'s>) -> Result<Vec<Key>, Wrong> {
        if let Some(at) =
            place.steps.iter().rposition(|step| matches!(step, PlaceStep::Assigned(_)))
            && let Some(PlaceStep::Assigned(id)) = place.steps.get(at)
            && let Some((target, operator, value)) = self.assignment(*id)
        {
            let before = Place {
                root: place.root,
                steps: place.steps.get(..at).unwrap_or_default().to_vec(),
            };
            let (operator, value) = self.default_of(&before, operator, value);
            let mut keys = self.stack.call(self.clone().keys_of(before.clone())).await?;
            let assigned = self.clone().assign_nested(
                *id,
                target,
                (before.root, keys.clone()),
                operator,
                value,
            );
            self.stack.call(assigned).await?;
            let rest = place.steps.get(at + 1..).unwrap_or_default();
            self.more_keys(place.root, rest, &mut keys).await?;
            return Ok(keys);
        }
        let mut keys = Vec::with_capacity(place.steps.len());
        self.more_keys(place.root, &place.steps, &mut keys).await?;
        Ok(keys)
    }

    async fn keys_of(self, place: Place<'s>) -> Result<Vec<Key>, Wrong> {
        self.place_keys(&place).await
    }

    async fn more_keys(
        &self,
        root: VarId,
        steps: &[PlaceStep<'s>],
        keys: &mut Vec<Key>,
    ) -> Result<(), Wrong> {
        for step in steps {
            let mut steady = None;
            let key = match *step {
                PlaceStep::Name("__proto__", span) => {
                    self.refuse(span.0, "there are no prototypes", "write the members themselves")
                }
                PlaceStep::Name(name, span) => self.b().text(name, span),
                PlaceStep::Index(id) | PlaceStep::Lookup(id) => {
                    let key = self.expr(id).await?;
                    steady = self.steady(id);
                    if steady.is_some() { key } else { self.stable(key, id) }
                }
                PlaceStep::At(id) => {
                    let key = self.expr(id).await?;
                    let span = self.span(id);
                    let whole = self.variable(root, span);
                    let list = self.read(whole, keys, true, span);
                    self.index_at(list, key, span)
                }
                PlaceStep::Found(id) => {
                    let span = self.span(id);
                    let whole = self.variable(root, span);
                    let list = self.read(whole, keys, true, span);
                    let index = self.index_of_found(id, list).await?;
                    self.fixed(index, span)
                }
                PlaceStep::Assigned(_) => continue,
            };
            let is_lookup = matches!(step, PlaceStep::Lookup(_));
            let (steady, spelling) = match steady {
                Some((var, spelling)) => (Some(var), spelling),
                None => (None, self.spelling(key)),
            };
            keys.push(Key { id: key, is_lookup, spelling, steady });
        }
        Ok(())
    }

    /// Makes a key that does not change: a literal, a variable that never changes, or a made name.
    fn stable(&self, key: Id, id: ExprId) -> Id {
        let is_steady = match self.ast.expr(id).what {
            What::Name(_) => self.var_of(id).is_some_and(|var| !self.known.var(var).is_changed),
            _ => false,
        };
        if is_steady { key } else { self.fixed(key, self.span(id)) }
    }

    /// Spells a key that has one value everywhere: a path from a variable that never changes.
    fn steady(&self, id: ExprId) -> Option<(VarId, String)> {
        let mut first = id;
        let mut text = String::new();
        loop {
            match &self.ast.expr(first).what {
                What::Name(_) => {
                    let var = self.var_of(first).filter(|var| !self.known.var(*var).is_changed)?;
                    return Some((var, format!("@{var}{text}")));
                }
                What::Member { object, name, is_optional: false, .. } => {
                    text = format!(".{name}{text}");
                    first = *object;
                }
                _ => return None,
            }
        }
    }

    /// Lowers the index of the element that `list.find(f)` finds.
    async fn index_of_found(&self, id: ExprId, list: Id) -> Lowered {
        let What::Call { callee, arguments, .. } = &self.ast.expr(id).what else {
            return Ok(self.b().null(self.span(id)));
        };
        let What::Member { object, name, .. } = self.ast.expr(*callee).what else {
            return Ok(self.b().null(self.span(id)));
        };
        let name = if name == "findLast" { "findLastIndex" } else { "findIndex" };
        self.call_member(id, list, Some(object), name, arguments).await
    }

    /// The key of a map whose spelling is steady.
    pub(super) fn steady_key(&self, id: ExprId) -> Option<Key> {
        let (var, spelling) = self.steady(id)?;
        Some(Key { id: 0, is_lookup: true, spelling, steady: Some(var) })
    }

    /// Tells whether two places certainly are one.
    pub(super) fn is_one_place(&self, one: &Place<'s>, other: &Place<'s>) -> bool {
        let is_one = |(a, b): (&PlaceStep<'s>, &PlaceStep<'s>)| match (a, b) {
            (PlaceStep::Name(a, _), PlaceStep::Name(b, _)) => a == b,
            (PlaceStep::Index(a), PlaceStep::Index(b))
            | (PlaceStep::Lookup(a), PlaceStep::Lookup(b)) => {
                match (&self.ast.expr(*a).what, &self.ast.expr(*b).what) {
                    (What::Text(a), What::Text(b)) | (What::Number(a), What::Number(b)) => a == b,
                    (What::Name(_), What::Name(_)) => self.var_of(*a) == self.var_of(*b),
                    _ => self.steady(*a).is_some_and(|a| self.steady(*b) == Some(a)),
                }
            }
            _ => false,
        };
        one.root == other.root
            && one.steps.len() == other.steps.len()
            && one.steps.iter().zip(&other.steps).all(is_one)
    }

    /// Makes an index of a list. A negative index counts from the end.
    fn index_at(&self, list: Id, index: Id, span: Span) -> Id {
        let literal = self.b().tree.digits(index).map(str::to_owned);
        let index = if let Some(digits) = literal {
            match digits.strip_prefix('-') {
                None => return index,
                Some(digits) => {
                    let mut b = self.b();
                    let length = b.text("length", span);
                    let length = b.form(Form::Get, &[list, length], span);
                    let digits = b.number(digits.to_owned(), span);
                    b.form(Form::Sub, &[length, digits], span)
                }
            }
        } else {
            let mut b = self.b();
            let zero = b.number("0", span);
            let test = b.form(Form::Lt, &[index, zero], span);
            let length = b.text("length", span);
            let length = b.form(Form::Get, &[list, length], span);
            let from_end = b.form(Form::Add, &[length, index], span);
            b.form(Form::If, &[test, from_end, index], span)
        };
        self.fixed(index, span)
    }

    fn spelling(&self, id: Id) -> String {
        let b = self.b();
        match &b.tree.node(id).what {
            tree::What::Text(text) => format!("\"{text}"),
            tree::What::Number(digits) => digits.to_string(),
            tree::What::Form { form: Form::Var, names, .. } => {
                names.first().map_or_else(String::new, ToString::to_string)
            }
            _ => format!("#{id}"),
        }
    }

    /// Reads the value at a path. A lenient read gives null for an absent member.
    pub(super) fn read(&self, whole: Id, keys: &[Key], lenient: bool, span: Span) -> Id {
        let mut b = self.b();
        let mut value = whole;
        let mut path = Vec::new();
        for (at, key) in keys.iter().enumerate() {
            if key.is_lookup {
                let null = b.null(span);
                value = b.form(Form::Lookup, &[value, key.id, null], span);
            } else if lenient {
                path.push(key.id);
                if keys.get(at + 1).is_none_or(|next| next.is_lookup) {
                    let list = b.list(&std::mem::take(&mut path), span);
                    let null = b.null(span);
                    value = b.form(Form::GetIn, &[value, list, null], span);
                }
            } else {
                value = b.form(Form::Get, &[value, key.id], span);
            }
        }
        value
    }

    /// Makes the whole with another value at a path. All members on the path but the last must be
    /// present.
    pub(super) fn written(&self, whole: Id, keys: &[Key], value: Id, span: Span) -> Id {
        let mut wholes = vec![whole];
        for key in keys.iter().take(keys.len().saturating_sub(1)) {
            let last = wholes.last().copied().unwrap_or_default();
            let mut b = self.b();
            let inner = if key.is_lookup {
                b.form(Form::Lookup, &[last, key.id], span)
            } else {
                b.form(Form::Get, &[last, key.id], span)
            };
            drop(b);
            wholes.push(if keys.len() > 1 { self.fixed(inner, span) } else { inner });
        }
        let mut b = self.b();
        keys.iter().zip(&wholes).rev().fold(value, |value, (key, whole)| {
            let form = if key.is_lookup { Form::Insert } else { Form::Put };
            b.form(form, &[*whole, key.id, value], span)
        })
    }

    /// Makes a key of a map.
    pub(super) fn lookup_key(&self, id: Id, written: ExprId) -> Key {
        let (steady, spelling) = match self.steady(written) {
            Some((var, spelling)) => (Some(var), spelling),
            None => (None, self.spelling(id)),
        };
        Key { id, is_lookup: true, spelling, steady }
    }

    /// Finds the place and the new value between which a declaration chooses, if the variable is
    /// changed in place: `const e = m.get(k) ?? []`.
    pub(super) fn choice_of(
        &self,
        var: VarId,
        value: ExprId,
    ) -> Option<(Place<'s>, Binary, ExprId)> {
        let What::Binary { operator, left, right } = self.ast.expr(value).what else { return None };
        let is_choice = matches!(operator, Binary::Or | Binary::Nullish);
        let place = self.alias_of(var, left).filter(|_| is_choice && !self.has_effects(value))?;
        let is_plain = !place.steps.iter().any(|step| matches!(step, PlaceStep::Assigned(_)));
        (is_plain && self.own_of(right) > 0).then_some((place, operator, right))
    }

    /// Finds the place of which a variable becomes an alias. A variable that is never changed in
    /// place becomes none.
    pub(super) fn alias_of(&self, var: VarId, value: ExprId) -> Option<Place<'s>> {
        if !self.known.var(var).is_mutated {
            return None;
        }
        let place = self.place_of(value).filter(|place| !place.steps.is_empty())?;
        let depth = place.depth();
        self.may_change(place.root, depth + 1, self.span(value).0)
            .then_some(place)
            .filter(|place| self.known.var(place.root).origin != Origin::Free)
    }
}
