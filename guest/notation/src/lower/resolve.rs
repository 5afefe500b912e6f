//! Which variable each name is, and where variables change: one walk over the program, in the order
//! of its text, before any of it is lowered.
//!
//! A change is noted as an event at its byte, so what changes within a statement or a function is
//! a range of events. A function that a built-in member calls at once (`xs.map(x => …)`) belongs to
//! the function around it: its changes are changes there.

use crate::ast::{
    Ast, Body, Element, ExprId, FunctionId, Key, Kind, Member, PatternId, Statement, StmtId,
    Target, Unary, What,
};
use crate::ast::{Binary, Span};
use crate::lower::names::{changes_in_place, is_callback_member};
use pif_core::limits::to_u32;
use std::collections::{BTreeMap, BTreeSet};

/// A variable of the program.
pub(crate) type VarId = u32;

/// A variable.
#[derive(Clone, Debug)]
pub(crate) struct Var<'s> {
    pub(crate) name: &'s str,
    /// Where it is declared; 0 for a name that the program finds bound.
    pub(crate) at: u32,
    /// From where on it is bound: behind the value of its declaration.
    pub(crate) from: u32,
    /// The function in whose body it is declared; functions that are called at once count as
    /// part of the function around them.
    pub(crate) owner: Option<FunctionId>,
    /// The innermost function in which it is declared.
    pub(crate) home: Option<FunctionId>,
    pub(crate) origin: Origin,
    /// The function that it always is.
    pub(crate) function: Option<FunctionId>,
    /// The expression that it always is the value of.
    pub(crate) value: Option<ExprId>,
    /// Whether it gets another value after its declaration, or changes in place.
    pub(crate) is_changed: bool,
    /// Whether its value itself is changed in place, as by `push`.
    pub(crate) is_mutated: bool,
    /// Whether the program asks whether it is there.
    pub(crate) is_tested: bool,
    /// The variable whose member it is, or whose elements it goes over.
    pub(crate) source: Option<VarId>,
    /// How many levels below the source's value it lies, at least.
    pub(crate) gap: usize,
    /// Where it is named.
    pub(crate) uses: Vec<u32>,
    /// The function in which it is named, for each use.
    pub(crate) users: Vec<Option<FunctionId>>,
    /// Variables that have a part of its value.
    pub(crate) parts: Vec<VarId>,
    /// Whether its name hides another variable that is named later.
    pub(crate) hides: bool,
}

/// What makes a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The program finds it bound.
    Free,
    Declared(Kind),
    /// A `function`.
    Function,
    /// A parameter of a function that is a value or has a name.
    Parameter,
    /// A parameter of a function that is called at once.
    Callback,
    /// The variable of a loop over elements or keys.
    Loop,
    Caught,
}

/// A change of a variable, or a call of a local function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub(crate) at: u32,
    pub(crate) var: VarId,
    pub(crate) is_call: bool,
    /// Of a change in place how many levels below the variable; 0 of any other.
    pub(crate) depth: usize,
    /// The function in whose body it happens.
    pub(crate) owner: Option<FunctionId>,
}

/// What leaves a statement other than its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Exits {
    pub(crate) returns: bool,
    pub(crate) breaks: bool,
    pub(crate) continues: bool,
    /// Whether it breaks or continues a loop with a label.
    pub(crate) leaves: bool,
    /// Whether its end may be reached.
    pub(crate) falls: bool,
}

/// What is known of the names of a program.
#[derive(Debug, Default)]
pub(crate) struct Resolved<'s> {
    pub(crate) vars: Vec<Var<'s>>,
    /// Of each expression that is a name, its variable.
    pub(crate) names: Vec<Option<VarId>>,
    /// Of each pattern that is a name, its variable.
    pub(crate) targets: Vec<Option<VarId>>,
    /// In the order of the text.
    pub(crate) events: Vec<Event>,
    /// Those that may change something where they happen.
    pub(crate) effects: Vec<Event>,
    pub(crate) exits: Vec<Exits>,
    /// Functions that are called at once where they stand.
    pub(crate) is_inline: Vec<bool>,
    /// Of each function the one in which it stands, and which counts as its own if it is inline.
    pub(crate) owners: Vec<Option<FunctionId>>,
    /// Where a local list gets another element by `push`, whose value nobody takes.
    pub(crate) appends: BTreeSet<u32>,
    /// The variables of each name.
    by_name: BTreeMap<&'s str, Vec<VarId>>,
    /// Whether a value changes in place anywhere.
    pub(crate) mutates: bool,
    /// Loops, and functions that are called at once.
    pub(crate) loops: Vec<Span>,
    /// Of functions with a name, the variable.
    pub(crate) function_vars: Vec<Option<VarId>>,
}

/// Variables that are bound in a scope, and those that are declared further down in its block.
#[derive(Debug, Default)]
struct Scope {
    vars: [Vec<VarId>; 2],
}

const BOUND: usize = 0;
const LATER: usize = 1;

/// What a callback gets: the position of the parameter for an element, and whose element it is.
type Elements = (usize, Option<Source>);

/// A variable, and how many levels below its value something lies.
type Source = (VarId, usize);

enum Work {
    Expr(ExprId, bool),
    Stmt(StmtId),
    Block(Vec<StmtId>),
    /// A function: whether it is called at once, and with elements of which variable.
    Function(FunctionId, Option<Elements>),
    EndFunction([Option<FunctionId>; 2]),
    Push,
    Pop,
    /// A pattern whose names are bound here.
    Bind(PatternId),
    /// A pattern that is assigned to.
    Assign(PatternId),
    /// A change in place, so many levels below the variable.
    Change(VarId, u32, usize),
    Exits(StmtId),
}

struct Walk<'a, 's> {
    ast: &'a Ast<'s>,
    out: Resolved<'s>,
    /// The scopes that are open, each with the variables that it binds and declares.
    scopes: Vec<Scope>,
    /// Of each name the variables that it is in the scopes that are open, the innermost last: those
    /// that are bound, and those that are declared further down.
    visible: BTreeMap<&'s str, [Vec<VarId>; 2]>,
    owner: Option<FunctionId>,
    /// The innermost function around.
    home: Option<FunctionId>,
    work: Vec<Work>,
}

/// Walks a program in which some names are bound.
pub(crate) fn resolve<'s>(ast: &Ast<'s>, free: &[&'s str]) -> Resolved<'s> {
    let mut walk = Walk {
        ast,
        out: Resolved {
            names: vec![None; ast.exprs.len()],
            targets: vec![None; ast.patterns.len()],
            exits: vec![Exits::default(); ast.stmts.len()],
            is_inline: vec![false; ast.functions.len()],
            owners: vec![None; ast.functions.len()],
            function_vars: vec![None; ast.functions.len()],
            ..Resolved::default()
        },
        scopes: vec![Scope::default()],
        visible: BTreeMap::new(),
        owner: None,
        home: None,
        work: Vec::new(),
    };
    for name in free {
        let var = walk.add(name, 0, Origin::Free);
        walk.bind(var);
    }
    walk.work.push(Work::Block(ast.program.clone()));
    while let Some(work) = walk.work.pop() {
        walk.step(work);
    }
    walk.out.events.sort_by_key(|event| event.at);
    walk.out.finish();
    walk.out
}

impl<'s> Walk<'_, 's> {
    fn add(&mut self, name: &'s str, at: u32, origin: Origin) -> VarId {
        self.out.vars.push(Var {
            name,
            at,
            from: at,
            owner: self.owner,
            home: self.home,
            origin,
            function: None,
            value: None,
            is_changed: false,
            is_mutated: false,
            is_tested: false,
            source: None,
            gap: 0,
            uses: Vec::new(),
            users: Vec::new(),
            parts: Vec::new(),
            hides: false,
        });
        let var = to_u32(self.out.vars.len() - 1);
        self.out.by_name.entry(name).or_default().push(var);
        var
    }

    fn bind(&mut self, var: VarId) {
        self.enter(var, BOUND);
        self.hide(var, LATER);
    }

    /// Makes a variable visible in the innermost scope.
    fn enter(&mut self, var: VarId, how: usize) {
        let name = self.out.var(var).name;
        if let Some(vars) = self.visible.entry(name).or_default().get_mut(how) {
            vars.push(var);
        }
        if let Some(vars) = self.scopes.last_mut().and_then(|scope| scope.vars.get_mut(how)) {
            vars.push(var);
        }
    }

    /// Leaves the innermost scope.
    fn leave(&mut self) {
        let scope = self.scopes.pop().unwrap_or_default();
        for (how, vars) in scope.vars.into_iter().enumerate() {
            for var in vars.into_iter().rev() {
                self.hide(var, how);
            }
        }
    }

    fn hide(&mut self, var: VarId, how: usize) {
        let name = self.out.var(var).name;
        if let Some(vars) = self.visible.get_mut(name).and_then(|all| all.get_mut(how))
            && let Some(at) = vars.iter().rposition(|other| *other == var)
        {
            vars.remove(at);
        }
    }

    /// Takes back what has been declared in the innermost scope for further down.
    fn forget_later(&mut self) {
        let later = self.scopes.last_mut().and_then(|scope| scope.vars.last_mut());
        for var in later.map(std::mem::take).unwrap_or_default() {
            self.hide(var, LATER);
        }
    }

    fn find(&self, name: &str) -> Option<VarId> {
        let [bound, later] = self.visible.get(name)?;
        bound.last().or(later.first()).copied()
    }

    /// The variable at the beginning of a path of members, and how many members there are.
    fn root(&self, mut id: ExprId) -> Option<(VarId, usize)> {
        let mut depth = 0;
        loop {
            match &self.ast.expr(id).what {
                What::Name(name) => return self.find(name).map(|var| (var, depth)),
                What::Member { object, .. } | What::Index { object, .. } => id = *object,
                // `map.get(k)`, `list.at(i)`: a member, too.
                What::Call { callee, .. } => match &self.ast.expr(*callee).what {
                    What::Member { object, name: "get" | "at", .. } => id = *object,
                    _ => return None,
                },
                What::Assign { target, .. } => match self.ast.pattern(*target).what {
                    Target::Path(path) => {
                        id = path;
                        continue;
                    }
                    Target::Name(name) => return self.find(name).map(|var| (var, depth)),
                    _ => return None,
                },
                _ => return None,
            }
            depth += 1;
        }
    }

    /// Whose parts a value has: the root of the expression, through members such as `filter`, which
    /// make a new list of the elements of another.
    fn source_of(&self, mut id: ExprId) -> Option<Source> {
        let mut is_new = false;
        loop {
            match &self.ast.expr(id).what {
                What::Call { callee, arguments, .. } => match &self.ast.expr(*callee).what {
                    What::Member { object, name, .. } => match *name {
                        "filter" | "slice" | "toSorted" | "toReversed" | "concat" | "values"
                        | "flat" => {
                            is_new = true;
                            id = *object;
                        }
                        "find" | "findLast" | "pop" | "shift" => {
                            is_new = true;
                            id = *object;
                        }
                        "sort" | "reverse" => id = *object,
                        "entries" => {
                            is_new = true;
                            id = arguments.first().map_or(*object, |item| item.value);
                        }
                        "get" | "at" => break,
                        _ => return None,
                    },
                    _ => return None,
                },
                What::List(items) => match items.as_slice() {
                    [item] if item.is_spread => {
                        is_new = true;
                        id = item.value;
                    }
                    _ => return None,
                },
                What::Binary { operator: Binary::Or | Binary::Nullish, left, .. } => id = *left,
                _ => break,
            }
        }
        self.root(id).map(|(var, depth)| (var, depth + usize::from(is_new)))
    }

    /// Notes a change; of one in place how many levels below the variable.
    fn change(&mut self, var: VarId, at: u32, depth: usize) {
        let in_place = depth > 0;
        let owner = self.owner;
        let (mut next, mut depth) = (Some(var), depth);
        // A change of a member's value is a change of what it is a member of.
        while let Some(var) = next {
            self.out.events.push(Event { at, var, is_call: false, depth, owner });
            let Some(info) = self.out.vars.get_mut(var as usize) else { return };
            info.is_changed = true;
            info.is_mutated |= in_place;
            self.out.mutates |= in_place;
            depth += info.gap;
            next = info.source.filter(|_| in_place);
        }
    }

    fn step(&mut self, work: Work) {
        match work {
            Work::Expr(id, tested) => self.expr(id, tested),
            Work::Stmt(id) => self.stmt(id),
            Work::Block(list) => self.block(&list),
            Work::Function(id, elements) => self.function(id, elements),
            Work::EndFunction([owner, home]) => {
                (self.owner, self.home) = (owner, home);
                self.leave();
            }
            Work::Push => self.scopes.push(Scope::default()),
            Work::Pop => self.leave(),
            Work::Bind(pattern) => self.bind_pattern(pattern),
            Work::Assign(pattern) => self.assign(pattern),
            Work::Change(var, at, depth) => self.change(var, at, depth),
            Work::Exits(id) => self.exits(id),
        }
    }

    /// Schedules work so that the first is done first.
    fn schedule(&mut self, work: Vec<Work>) {
        self.work.extend(work.into_iter().rev());
    }

    /// Declares the names of a block, then walks its statements.
    fn block(&mut self, list: &[StmtId]) {
        let mut work = Vec::new();
        for id in list {
            match &self.ast.stmt(*id).what {
                Statement::Declare { kind, names } => {
                    for (pattern, value) in names {
                        self.declare(*pattern, Origin::Declared(*kind), *value);
                    }
                }
                Statement::Function(function) => {
                    let (name, at) = {
                        let function = self.ast.function(*function);
                        (function.name.unwrap_or_default(), function.span.0)
                    };
                    let var = self.add(name, at, Origin::Function);
                    self.name_function(var, *function);
                    self.bind(var);
                }
                _ => {}
            }
            work.push(Work::Stmt(*id));
        }
        self.schedule(work);
    }

    fn name_function(&mut self, var: VarId, function: FunctionId) {
        if let Some(info) = self.out.vars.get_mut(var as usize) {
            info.function = Some(function);
        }
        if let Some(slot) = self.out.function_vars.get_mut(function as usize) {
            *slot = Some(var);
        }
    }

    /// Makes the variables of a pattern, which are bound where its declaration is walked.
    fn declare(&mut self, pattern: PatternId, origin: Origin, value: Option<ExprId>) {
        let mut patterns = vec![pattern];
        while let Some(id) = patterns.pop() {
            match &self.ast.pattern(id).what {
                Target::Name(name) => {
                    let var = self.add(name, self.ast.pattern(id).span.0, origin);
                    if let Some(slot) = self.out.targets.get_mut(id as usize) {
                        *slot = Some(var);
                    }
                    self.enter(var, LATER);
                    if id == pattern
                        && let Some(value) = value
                    {
                        if let What::Function(function) = self.ast.expr(value).what {
                            self.name_function(var, function);
                        }
                        if let Some(info) = self.out.vars.get_mut(var as usize) {
                            info.value = Some(value);
                        }
                    }
                }
                Target::List { elements, rest } => {
                    patterns.extend(elements.iter().flatten().map(|element| element.pattern));
                    patterns.extend(rest);
                }
                Target::Record { members, rest } => {
                    patterns.extend(members.iter().map(|(_, element)| element.pattern));
                    patterns.extend(rest);
                }
                Target::Path(_) => {}
            }
        }
    }

    fn names_of(&self, pattern: PatternId) -> Vec<VarId> {
        self.out.names_of(self.ast, pattern)
    }

    fn bind_pattern(&mut self, pattern: PatternId) {
        for var in self.names_of(pattern) {
            self.bind(var);
        }
    }

    /// The expressions within a pattern: defaults, and computed keys.
    fn inside(&self, pattern: PatternId) -> Vec<Work> {
        let (mut patterns, mut work) = (vec![pattern], Vec::new());
        while let Some(id) = patterns.pop() {
            let default = |element: &Element| element.default.map(|id| Work::Expr(id, false));
            match &self.ast.pattern(id).what {
                Target::Name(_) => {}
                Target::List { elements, rest } => {
                    for element in elements.iter().flatten() {
                        work.extend(default(element));
                        patterns.push(element.pattern);
                    }
                    patterns.extend(rest);
                }
                Target::Record { members, rest } => {
                    for (key, element) in members {
                        if let Key::Computed(key) = key {
                            work.push(Work::Expr(*key, false));
                        }
                        work.extend(default(element));
                        patterns.push(element.pattern);
                    }
                    patterns.extend(rest);
                }
                Target::Path(id) => work.push(Work::Expr(*id, false)),
            }
        }
        work
    }

    fn set_source(&mut self, pattern: PatternId, source: Option<Source>) {
        let is_part = self.out.targets.get(pattern as usize).copied().flatten().is_none();
        for var in self.names_of(pattern) {
            if let Some(info) = self.out.vars.get_mut(var as usize) {
                info.source = source.map(|(source, _)| source).filter(|source| *source != var);
                info.gap = source.map_or(0, |(_, gap)| gap + usize::from(is_part));
            }
        }
    }

    fn assign(&mut self, pattern: PatternId) {
        let (mut patterns, at) = (vec![pattern], self.ast.pattern(pattern).span.0);
        while let Some(id) = patterns.pop() {
            match &self.ast.pattern(id).what {
                Target::Name(name) => {
                    let var = self.find(name);
                    if let Some(slot) = self.out.targets.get_mut(id as usize) {
                        *slot = var;
                    }
                    if let Some(var) = var {
                        self.change(var, at, 0);
                    }
                }
                Target::Path(path) => {
                    if let Some((var, depth)) = self.root(*path) {
                        self.change(var, at, depth.max(1));
                    }
                }
                Target::List { elements, rest } => {
                    patterns.extend(elements.iter().flatten().map(|element| element.pattern));
                    patterns.extend(rest);
                }
                Target::Record { members, rest } => {
                    patterns.extend(members.iter().map(|(_, element)| element.pattern));
                    patterns.extend(rest);
                }
            }
        }
    }

    fn function(&mut self, id: FunctionId, elements: Option<Elements>) {
        let is_inline = elements.is_some();
        let function = self.ast.function(id);
        if let Some(slot) = self.out.is_inline.get_mut(id as usize) {
            *slot = is_inline;
        }
        if let Some(slot) = self.out.owners.get_mut(id as usize) {
            *slot = self.owner;
        }
        let before = [self.owner, self.home];
        self.home = Some(id);
        if is_inline {
            self.out.loops.push(function.span);
        } else {
            self.owner = Some(id);
        }
        self.scopes.push(Scope::default());
        let origin = if is_inline { Origin::Callback } else { Origin::Parameter };
        let mut work = Vec::new();
        let is_declared = self.out.function_vars.get(id as usize).copied().flatten().is_some();
        if let Some(name) = function.name.filter(|_| !is_declared) {
            let var = self.add(name, function.span.0 + 1, Origin::Function);
            self.name_function(var, id);
            self.bind(var);
        }
        for (at, element) in function.parameters.iter().enumerate() {
            self.declare(element.pattern, origin, None);
            self.bind_pattern(element.pattern);
            if let Some((place, source)) = elements.filter(|(place, _)| *place <= at) {
                self.set_source(element.pattern, source.filter(|_| place < 2));
            }
            work.extend(element.default.map(|id| Work::Expr(id, false)));
            work.extend(self.inside(element.pattern));
        }
        if let Some(rest) = function.rest {
            self.declare(rest, origin, None);
            self.bind_pattern(rest);
        }
        match &function.body {
            Body::Expression(id) => work.push(Work::Expr(*id, false)),
            Body::Block(list) => {
                work.extend([Work::Push, Work::Block(list.clone()), Work::Pop]);
            }
        }
        work.push(Work::EndFunction(before));
        self.schedule(work);
    }

    fn uses(&mut self, id: ExprId, name: &str, tested: bool) {
        let Some(var) = self.find(name) else { return };
        if let Some(slot) = self.out.names.get_mut(id as usize) {
            *slot = Some(var);
        }
        let at = self.ast.expr(id).span.0;
        let owner = self.owner;
        if let Some(info) = self.out.vars.get_mut(var as usize) {
            info.uses.push(at);
            info.users.push(owner);
            info.is_tested |= tested;
            if info.function.is_some() {
                self.out.events.push(Event { at, var, is_call: true, depth: 0, owner });
            }
        }
    }

    fn expr(&mut self, id: ExprId, tested: bool) {
        let expr = self.ast.expr(id);
        let work = match &expr.what {
            What::Name(name) => return self.uses(id, name, tested),
            What::Function(function) => vec![Work::Function(*function, None)],
            What::Template(parts) | What::Sequence(parts) | What::Pipe(parts) => {
                parts.iter().map(|id| Work::Expr(*id, false)).collect()
            }
            What::List(items) => {
                items.iter().map(|item| Work::Expr(item.value, item.is_spread)).collect()
            }
            What::Record(members) => {
                let mut work = Vec::new();
                for member in members {
                    match member {
                        Member::Named { value, .. } => work.push(Work::Expr(*value, false)),
                        Member::Computed { key, value } => {
                            work.extend([Work::Expr(*key, false), Work::Expr(*value, false)]);
                        }
                        Member::Spread(value) => work.push(Work::Expr(*value, true)),
                    }
                }
                work
            }
            What::Unary { operator, operand } => {
                vec![Work::Expr(*operand, matches!(operator, Unary::Not | Unary::Typeof))]
                    .into_iter()
                    .chain(self.deleted(*operator, *operand, expr.span))
                    .collect()
            }
            What::Binary { operator, left, right } => {
                let is_test = matches!(
                    operator,
                    Binary::And | Binary::Or | Binary::Nullish | Binary::Eq | Binary::NotEq
                );
                let right_too =
                    matches!(operator, Binary::Eq | Binary::NotEq) || (is_test && tested);
                vec![Work::Expr(*left, is_test), Work::Expr(*right, right_too)]
            }
            What::Conditional { test, then, otherwise } => {
                vec![
                    Work::Expr(*test, true),
                    Work::Expr(*then, tested),
                    Work::Expr(*otherwise, tested),
                ]
            }
            What::Assign { target, operator, value } => {
                let is_test = matches!(operator, Some(Binary::And | Binary::Or | Binary::Nullish));
                let mut work = self.inside(*target);
                if is_test
                    && let Target::Name(name) = self.ast.pattern(*target).what
                    && let Some(var) = self.find(name)
                    && let Some(info) = self.out.vars.get_mut(var as usize)
                {
                    info.is_tested = true;
                }
                if operator.is_some()
                    && let Target::Name(name) = self.ast.pattern(*target).what
                    && let Some(var) = self.find(name)
                    && let Some(info) = self.out.vars.get_mut(var as usize)
                {
                    info.uses.push(expr.span.0);
                    info.users.push(self.owner);
                }
                work.extend([Work::Expr(*value, false), Work::Assign(*target)]);
                work
            }
            What::Update { target, .. } => {
                let mut work = self.inside(*target);
                work.push(Work::Assign(*target));
                work
            }
            What::Member { object, is_optional, .. } => vec![Work::Expr(*object, *is_optional)],
            What::Index { object, index, is_optional } => {
                vec![Work::Expr(*object, *is_optional), Work::Expr(*index, false)]
            }
            What::Call { .. } => self.call(id),
            What::New { arguments, .. } => {
                arguments.iter().map(|item| Work::Expr(item.value, item.is_spread)).collect()
            }
            What::Await(id) => vec![Work::Expr(*id, tested)],
            What::StrictIf(parts) => parts.iter().map(|id| Work::Expr(*id, false)).collect(),
            _ => return,
        };
        self.schedule(work);
    }

    /// Notes `xs.push(x)` of a variable.
    fn append(&mut self, id: ExprId) {
        if let What::Call { callee, is_optional: false, .. } = &self.ast.expr(id).what
            && let What::Member { object, name: "push", is_optional: false, .. } =
                &self.ast.expr(*callee).what
            && let What::Name(_) = self.ast.expr(*object).what
        {
            self.out.appends.insert(self.ast.expr(*object).span.0);
        }
    }

    fn deleted(&self, operator: Unary, operand: ExprId, span: Span) -> Option<Work> {
        let (var, depth) = self.root(operand).filter(|_| operator == Unary::Delete)?;
        Some(Work::Change(var, span.0, depth.max(1)))
    }

    fn call(&mut self, id: ExprId) -> Vec<Work> {
        let ast = self.ast;
        let What::Call { callee, arguments, is_optional } = &ast.expr(id).what else {
            return Vec::new();
        };
        let callee_expr = self.ast.expr(*callee);
        let member = match &callee_expr.what {
            What::Member { object, name, .. } => Some((*object, *name)),
            _ => None,
        };
        let mut work = Vec::new();
        match &callee_expr.what {
            What::Function(function) => {
                let is_named = self.ast.function(*function).name.is_some();
                work.push(Work::Function(*function, (!is_named).then_some((2, None))));
            }
            _ => work.push(Work::Expr(*callee, *is_optional)),
        }
        let elements = member.map_or((2, None), |(object, name)| {
            let place = if matches!(name, "reduce" | "reduceRight") { 1 } else { 0 };
            (place, self.source_of(object).map(|(var, gap)| (var, gap + 1)))
        });
        let calls_at_once = member.is_some_and(|(_, name)| is_callback_member(name))
            || matches!(&callee_expr.what, What::Name("try"));
        for item in arguments {
            if let Some((_, "forEach")) = member
                && let What::Function(function) = &self.ast.expr(item.value).what
                && let Body::Expression(body) = self.ast.function(*function).body
            {
                self.append(body);
            }
            match &self.ast.expr(item.value).what {
                What::Function(function) if calls_at_once => {
                    work.push(Work::Function(*function, Some(elements)));
                }
                _ => work.push(Work::Expr(item.value, item.is_spread)),
            }
        }
        if let Some((object, name)) = member
            && changes_in_place(name)
        {
            let objects = match ast.expr(object).what {
                What::Conditional { then, otherwise, .. } => vec![then, otherwise],
                _ => vec![object],
            };
            let roots = objects.into_iter().filter_map(|object| self.root(object));
            work.extend(roots.map(|(var, depth)| Work::Change(var, callee_expr.span.0, depth + 1)));
        }
        if let Some((object, "assign")) = member
            && matches!(self.ast.expr(object).what, What::Name("Object"))
            && let Some((var, depth)) = arguments.first().and_then(|item| self.root(item.value))
        {
            work.push(Work::Change(var, callee_expr.span.0, depth + 1));
        }
        work
    }

    fn stmt(&mut self, id: StmtId) {
        let stmt = self.ast.stmt(id);
        if stmt.what.is_loop() {
            self.out.loops.push(stmt.span);
        }
        let mut work = match &stmt.what {
            Statement::Empty
            | Statement::Break(_)
            | Statement::Continue(_)
            | Statement::Return(None) => {
                return self.exits(id);
            }
            Statement::Expression(expr) => {
                self.append(*expr);
                vec![Work::Expr(*expr, false)]
            }
            Statement::Return(Some(expr)) | Statement::Throw(expr) => {
                vec![Work::Expr(*expr, false)]
            }
            Statement::Function(function) => vec![Work::Function(*function, None)],
            Statement::Declare { names, .. } => self.declaration(names),
            Statement::If { test, then, otherwise } => {
                let mut work =
                    vec![Work::Expr(*test, true), Work::Push, Work::Stmt(*then), Work::Pop];
                work.extend(
                    otherwise.iter().flat_map(|id| [Work::Push, Work::Stmt(*id), Work::Pop]),
                );
                work
            }
            Statement::For { begin, test, update, body } => {
                let mut work = vec![Work::Push];
                work.extend(begin.map(|id| Work::Block(vec![id])));
                work.extend(test.map(|id| Work::Expr(id, true)));
                work.extend(update.map(|id| Work::Expr(id, false)));
                work.extend([Work::Push, Work::Stmt(*body), Work::Pop, Work::Pop]);
                work
            }
            Statement::ForOf { kind, pattern, list: over, body }
            | Statement::ForIn { kind, pattern, record: over, body } => {
                let mut work = vec![Work::Expr(*over, true), Work::Push];
                if kind.is_some() {
                    self.declare(*pattern, Origin::Loop, None);
                    let source = self.source_of(*over).map(|(var, gap)| (var, gap + 1));
                    self.set_source(*pattern, source);
                    self.forget_later();
                    work.extend(self.inside(*pattern));
                    work.push(Work::Bind(*pattern));
                } else {
                    work.push(Work::Assign(*pattern));
                }
                work.extend([Work::Push, Work::Stmt(*body), Work::Pop, Work::Pop]);
                work
            }
            Statement::While { test, body } => {
                vec![Work::Expr(*test, true), Work::Push, Work::Stmt(*body), Work::Pop]
            }
            Statement::DoWhile { body, test } => {
                vec![Work::Push, Work::Stmt(*body), Work::Pop, Work::Expr(*test, true)]
            }
            Statement::Try { body, handler, finally } => {
                let mut work = vec![Work::Push, Work::Block(body.clone()), Work::Pop];
                if let Some((pattern, list)) = handler {
                    work.push(Work::Push);
                    if let Some(pattern) = pattern {
                        self.declare(*pattern, Origin::Caught, None);
                        self.forget_later();
                        work.push(Work::Bind(*pattern));
                    }
                    work.extend([Work::Block(list.clone()), Work::Pop]);
                }
                if let Some(list) = finally {
                    work.extend([Work::Push, Work::Block(list.clone()), Work::Pop]);
                }
                work
            }
            Statement::Switch { value, cases } => {
                let mut work = vec![Work::Expr(*value, true), Work::Push];
                let all: Vec<StmtId> = cases.iter().flat_map(|(_, list)| list.clone()).collect();
                work.extend(
                    cases.iter().filter_map(|(test, _)| test.map(|id| Work::Expr(id, false))),
                );
                work.extend([Work::Block(all), Work::Pop]);
                work
            }
            Statement::Block(list) => vec![Work::Push, Work::Block(list.clone()), Work::Pop],
            Statement::Labeled(_, inner) => vec![Work::Stmt(*inner)],
        };
        work.push(Work::Exits(id));
        self.schedule(work);
    }

    fn declaration(&mut self, names: &[(PatternId, Option<ExprId>)]) -> Vec<Work> {
        let is_function = |value: &Option<ExprId>| {
            value.is_some_and(|id| matches!(self.ast.expr(id).what, What::Function(_)))
        };
        let all_functions = names.iter().all(|(_, value)| is_function(value));
        let mut work = Vec::new();
        if all_functions {
            work.extend(names.iter().map(|(pattern, _)| Work::Bind(*pattern)));
        }
        for (pattern, value) in names {
            if !all_functions && is_function(value) {
                work.push(Work::Bind(*pattern));
            }
            if let Some(value) = value {
                let source = self.source_of(*value);
                self.set_source(*pattern, source);
                let end = self.ast.expr(*value).span.1;
                for var in self.names_of(*pattern) {
                    if let Some(info) = self.out.vars.get_mut(var as usize) {
                        info.from = end;
                    }
                }
                let tested = self.names_of(*pattern).len() != 1;
                work.push(Work::Expr(*value, tested));
            }
            work.extend(self.inside(*pattern));
            work.push(Work::Bind(*pattern));
        }
        work
    }

    /// What leaves a statement, all of whose parts have been walked.
    fn exits(&mut self, id: StmtId) {
        let of = |id: &StmtId| self.out.exits.get(*id as usize).copied().unwrap_or_default();
        let sequence = |list: &[StmtId]| {
            let mut all = Exits { falls: true, ..Exits::default() };
            for id in list {
                let next = of(id);
                all = Exits { falls: all.falls && next.falls, ..all.or(next) };
            }
            all
        };
        let looped = |body: Exits| Exits { falls: true, breaks: false, continues: false, ..body };
        let exits = match &self.ast.stmt(id).what {
            Statement::Return(_) => Exits { returns: true, ..Exits::default() },
            Statement::Throw(_) => Exits::default(),
            Statement::Break(Some(_)) | Statement::Continue(Some(_)) => {
                Exits { leaves: true, ..Exits::default() }
            }
            Statement::Break(None) => Exits { breaks: true, ..Exits::default() },
            Statement::Continue(None) => Exits { continues: true, ..Exits::default() },
            Statement::If { then, otherwise, .. } => {
                let other =
                    otherwise.map_or(Exits { falls: true, ..Exits::default() }, |id| of(&id));
                let then = of(then);
                Exits { falls: then.falls || other.falls, ..then.or(other) }
            }
            Statement::For { body, .. }
            | Statement::ForOf { body, .. }
            | Statement::ForIn { body, .. }
            | Statement::While { body, .. }
            | Statement::DoWhile { body, .. } => looped(of(body)),
            Statement::Try { body, handler, finally } => {
                let mut all = sequence(body);
                if let Some((_, list)) = handler {
                    let other = sequence(list);
                    all = Exits { falls: all.falls || other.falls, ..all.or(other) };
                }
                if let Some(list) = finally {
                    let other = sequence(list);
                    all = Exits { falls: all.falls && other.falls, ..all.or(other) };
                }
                all
            }
            Statement::Switch { cases, .. } => {
                let mut all = Exits { falls: true, ..Exits::default() };
                for (_, list) in cases {
                    all = all.or(sequence(list));
                }
                Exits { falls: true, breaks: false, ..all }
            }
            Statement::Block(list) => sequence(list),
            Statement::Labeled(_, inner) => {
                let inner = of(inner);
                Exits { falls: true, leaves: false, ..inner }
            }
            _ => Exits { falls: true, ..Exits::default() },
        };
        if let Some(slot) = self.out.exits.get_mut(id as usize) {
            *slot = exits;
        }
    }
}

impl Exits {
    fn or(self, other: Self) -> Self {
        Self {
            returns: self.returns || other.returns,
            breaks: self.breaks || other.breaks,
            continues: self.continues || other.continues,
            leaves: self.leaves || other.leaves,
            falls: self.falls || other.falls,
        }
    }

    /// Whether a statement may be left before its end.
    pub(crate) fn jumps(self) -> bool {
        self.returns || self.breaks || self.continues || self.leaves
    }
}

impl Var<'_> {
    /// Whether it is declared by `const`.
    pub(crate) fn is_constant(&self) -> bool {
        self.origin == Origin::Declared(Kind::Const)
    }
}

impl<'s> Resolved<'s> {
    pub(crate) fn var(&self, id: VarId) -> &Var<'s> {
        self.vars.get(id as usize).unwrap_or(&NO_VAR)
    }

    /// The variables of a pattern.
    pub(crate) fn names_of(&self, ast: &Ast<'_>, pattern: PatternId) -> Vec<VarId> {
        let (mut patterns, mut vars) = (vec![pattern], Vec::new());
        while let Some(id) = patterns.pop() {
            match &ast.pattern(id).what {
                Target::Name(_) => vars.extend(self.targets.get(id as usize).copied().flatten()),
                Target::List { elements, rest } => {
                    patterns.extend(elements.iter().flatten().map(|element| element.pattern));
                    patterns.extend(rest);
                }
                Target::Record { members, rest } => {
                    patterns.extend(members.iter().map(|(_, element)| element.pattern));
                    patterns.extend(rest);
                }
                Target::Path(_) => {}
            }
        }
        vars
    }

    /// Finds what needs all variables.
    fn finish(&mut self) {
        for var in (0..).take(self.vars.len()) {
            if let Some(source) = self.var(var).source
                && let Some(info) = self.vars.get_mut(source as usize)
            {
                info.parts.push(var);
            }
        }
        // Of the earlier variables of a name, the last place where one is named: of those that are
        // declared in one function, and of those that change.
        for vars in std::mem::take(&mut self.by_name).into_values() {
            let mut last: BTreeMap<Option<FunctionId>, u32> = BTreeMap::new();
            let mut changing = 0;
            for var in &vars {
                let info = self.var(*var);
                let (from, home) = (info.from, info.home);
                let end = info.uses.iter().copied().max().unwrap_or_default();
                let hidden = last.get(&home).copied().unwrap_or_default().max(changing);
                let place = last.entry(home).or_default();
                *place = end.max(*place);
                if info.is_changed {
                    changing = end.max(changing);
                }
                if let Some(info) = self.vars.get_mut(*var as usize) {
                    info.hides = hidden > from;
                }
            }
            if let Some(first) = vars.first() {
                self.by_name.insert(self.var(*first).name, vars);
            }
        }
    }

    /// Whether a function is an expression with a name, which it sees itself.
    pub(crate) fn is_self_named(&self, function: FunctionId) -> bool {
        let var = self.function_vars.get(function as usize).copied().flatten();
        var.is_some_and(|var| self.var(var).owner == Some(function))
    }

    /// The variables that have the name of one.
    pub(crate) fn same_name(&self, var: VarId) -> &[VarId] {
        self.by_name.get(self.var(var).name).map_or(&[], Vec::as_slice)
    }

    /// The events from one byte to another.
    pub(crate) fn within(&self, span: Span) -> &[Event] {
        between(&self.events, span)
    }

    /// Events from one byte to another that may change something.
    pub(crate) fn effects_within(&self, span: Span) -> &[Event] {
        between(&self.effects, span)
    }
}

fn between(events: &[Event], (start, end): Span) -> &[Event] {
    let from = events.partition_point(|event| event.at < start);
    let to = events.partition_point(|event| event.at < end);
    events.get(from..to).unwrap_or_default()
}

static NO_VAR: Var<'static> = Var {
    name: "",
    at: 0,
    from: 0,
    owner: None,
    home: None,
    origin: Origin::Free,
    function: None,
    value: None,
    is_changed: false,
    is_mutated: false,
    is_tested: false,
    source: None,
    gap: 0,
    uses: Vec::new(),
    users: Vec::new(),
    parts: Vec::new(),
    hides: false,
};
