//! Patterns: names for the parts of a value. What a pattern binds is a list of names, each with the
//! way to its value from a name before it.

use crate::lexer::{Kind, Wrong};
use crate::parse::target::{Binding, Pattern, Target, Then, Way};
use crate::parse::{Frame, Next, Parser};
use crate::table::RESERVED;
use crate::tree::{Id, Words};
use pif_language::form::Form;

/// A pattern whose bracket has not been met.
struct Level<'s> {
    close: usize,
    whole: Words<'s>,
    is_list: bool,
    /// How many elements there were.
    count: u32,
    /// Where they are, and the keys of a record.
    targets: Vec<usize>,
    keys: Vec<Words<'s>>,
    /// Whether it is more than two names.
    is_odd: bool,
}

impl<'s> Parser<'s> {
    /// Reads a name or a pattern: the name of the whole, and what the pattern adds to `targets`.
    pub(super) fn target(&mut self, targets: &mut Pattern<'s>) -> Result<Words<'s>, Wrong> {
        let token = self.token(0);
        if token.kind == Kind::Name {
            return self.bound_name();
        }
        if token.kind != Kind::Open || !matches!(self.spelling(token), "[" | "{") {
            let hint = "write (x, y) => x + y, ([a, b]) => a, ({name}) => name";
            return self.unparsable(token.start, "a name is missing here", hint);
        }
        let whole = self.make_name();
        let mut levels = vec![self.level(whole.clone())];
        while let Some(mut level) = levels.pop() {
            if self.at == level.close {
                self.at += 1;
                pair(&level, targets);
                if levels.is_empty() {
                    break;
                }
                self.between(&mut levels, targets)?;
                continue;
            }
            let below = self.part(&mut level, targets)?;
            levels.push(level);
            match below {
                Some(below) => levels.push(below),
                None => self.between(&mut levels, targets)?,
            }
        }
        Ok(whole)
    }

    /// Begins a pattern at its bracket.
    fn level(&mut self, whole: Words<'s>) -> Level<'s> {
        let close = self.token(0).mate as usize;
        let is_list = self.is(0, "[");
        self.at += 1;
        Level {
            close,
            whole,
            is_list,
            count: 0,
            targets: Vec::new(),
            keys: Vec::new(),
            is_odd: false,
        }
    }

    fn bound_name(&mut self) -> Result<Words<'s>, Wrong> {
        let token = self.token(0);
        let name = self.spelling(token);
        if token.kind != Kind::Name || RESERVED.contains(&name) {
            let hint = "write a name, such as x";
            return self.unparsable(token.start, "this name cannot be bound", hint);
        }
        self.at += 1;
        Ok(name.into())
    }

    /// Reads a part of a pattern; the pattern within it, if it is one.
    fn part(
        &mut self,
        level: &mut Level<'s>,
        targets: &mut Pattern<'s>,
    ) -> Result<Option<Level<'s>>, Wrong> {
        let token = self.token(0);
        let span = (token.start, token.end);
        let way = if self.take("...") {
            level.is_odd = true;
            if level.is_list { Way::Rest(level.count) } else { Way::Others(level.keys.clone()) }
        } else if level.is_list {
            Way::Element(level.count)
        } else {
            let key = match token.kind {
                Kind::Text => self.unquote(token.start + 1, token.end - 1)?,
                _ => self.spelling(token).into(),
            };
            level.keys.push(key.clone());
            Way::Member(key)
        };
        level.count += 1;
        if matches!(way, Way::Member(_)) && (token.kind == Kind::Text || self.is(1, ":")) {
            self.at += 1;
            if !self.take(":") {
                return self.unexpected().map(|()| None);
            }
        }
        let nested =
            self.token(0).kind == Kind::Open && matches!(self.spelling(self.token(0)), "[" | "{");
        let name = if nested { self.make_name() } else { self.bound_name()? };
        level.targets.push(targets.len());
        let whole = level.whole.clone();
        targets.push(Target { name: name.clone(), whole, way, default: None, value: None, span });
        Ok(nested.then(|| self.level(name)))
    }

    /// Passes a default and a comma between two parts.
    fn between(
        &mut self,
        levels: &mut [Level<'s>],
        targets: &mut Pattern<'s>,
    ) -> Result<(), Wrong> {
        let Some(level) = levels.last_mut() else { return Ok(()) };
        if self.take("=") {
            level.is_odd = true;
            let from = self.at;
            self.skip(level.close);
            let target = level.targets.last().and_then(|at| targets.get_mut(*at));
            if let Some(target) = target {
                target.default = Some((from, self.at));
            }
        }
        if self.at == level.close || self.take(",") { Ok(()) } else { self.unexpected() }
    }

    /// Passes an expression, which is read later.
    fn skip(&mut self, close: usize) {
        while self.at < close && !self.is(0, ",") {
            let token = self.token(0);
            self.at = if token.kind == Kind::Open { token.mate as usize + 1 } else { self.at + 1 };
        }
    }

    /// Binds the names of a pattern in the scope.
    pub(super) fn bind_targets(&mut self, targets: &Pattern<'s>) {
        for target in targets {
            self.scope.bind(&target.name);
        }
    }

    /// Reads the next default of a pattern, or goes on.
    pub(super) fn defaults(
        &mut self,
        pattern: Pattern<'s>,
        next: usize,
        then: Then<'s>,
    ) -> Result<Next, Wrong> {
        let found =
            pattern.iter().enumerate().skip(next).find_map(|(at, it)| Some((at, it.default?)));
        if let Some((at, (from, _))) = found {
            self.at = from;
            self.enter(Frame::Default { pattern, next: at, then });
            return Ok(Next::Operand);
        }
        match then {
            Then::Body { names, start, at } => {
                self.at = at;
                self.begin_body(names, pattern, start)
            }
            Then::Value { start, name, before, at, group } => {
                self.at = at;
                self.enter(Frame::Value { start, names: vec![name], pattern, before, group });
                Ok(Next::Operand)
            }
        }
    }

    /// A default has been read.
    pub(super) fn end_default(
        &mut self,
        mut pattern: Pattern<'s>,
        next: usize,
        then: Then<'s>,
        value: Id,
    ) -> Result<Next, Wrong> {
        let target = pattern.get_mut(next);
        let end = target.as_ref().and_then(|target| target.default).map_or(0, |(_, end)| end);
        if self.at != end {
            return self.unexpected();
        }
        if let Some(target) = target {
            target.value = Some(value);
        }
        self.leave();
        self.defaults(pattern, next + 1, then)
    }

    /// The bindings of a pattern.
    pub(super) fn bindings(&mut self, pattern: Pattern<'s>) -> Vec<Binding<'s>> {
        let mut bindings = Vec::with_capacity(pattern.len());
        for target in pattern {
            bindings.push((target.name.clone(), self.part_of(target)));
        }
        bindings
    }

    fn part_of(&mut self, target: Target<'s>) -> Id {
        let span = target.span;
        let tree = &mut self.tree;
        let whole = tree.variable(target.whole, span);
        match target.way {
            Way::First => tree.form(Form::Fst, &[whole], span),
            Way::Second => tree.form(Form::Snd, &[whole], span),
            Way::Member(key) => {
                let key = tree.text(key, span);
                let operands = [Some(whole), Some(key), target.value];
                let operands: Vec<Id> = operands.into_iter().flatten().collect();
                tree.form(Form::Get, &operands, span)
            }
            Way::Element(at) => {
                let at = tree.number(at.to_string(), span);
                let element = tree.form(Form::Nth, &[whole, at], span);
                let Some(default) = target.value else { return element };
                let length = tree.form(Form::Length, &[whole], span);
                let test = tree.form(Form::Gt, &[length, at], span);
                tree.form(Form::If, &[test, element, default], span)
            }
            Way::Rest(from) => {
                let from = tree.number(from.to_string(), span);
                tree.form(Form::Drop, &[whole, from], span)
            }
            Way::Others(keys) => {
                let keys: Vec<Id> = keys.into_iter().map(|key| tree.text(key, span)).collect();
                let keys = tree.list(&keys, span);
                tree.form(Form::Omit, &[whole, keys], span)
            }
        }
    }
}

/// Two names in brackets are the halves of a pair.
fn pair(level: &Level<'_>, targets: &mut Pattern<'_>) {
    if !level.is_list || level.count != 2 || level.is_odd {
        return;
    }
    for (half, at) in level.targets.iter().enumerate() {
        if let Some(target) = targets.get_mut(*at) {
            target.way = if half == 0 { Way::First } else { Way::Second };
        }
    }
}
