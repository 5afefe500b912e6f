//! From terms to operations. One pass over the term, driven by a list of tasks instead of
//! recursion: nesting costs heap, not native stack.
//!
//! Names become slots, captures and constants; curried functions become functions of several
//! parameters; a fold over a literal function becomes a loop; comparisons become branches. None of
//! this changes what is counted as fuel and depth: every term node that is visited is noted, in
//! order, in the visits of its block.

mod branches;
mod calls;
mod control;
mod emit;
mod facts;
mod forms;
mod loops;
mod rules;
mod scope;

use crate::code::{Image, Op, Place, Slot};
use crate::heap::{Full, Heap};
use crate::limits::MOST_PARAMETERS;
use crate::term::{NameId, TermId, Terms};
use crate::value::Word;
use facts::Facts;
use scope::{Bindings, Location};
use std::collections::BTreeMap;

/// Why a term cannot be compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failed {
    /// Its constants do not fit into memory.
    Full,
    /// Its functions share too many variables.
    Entangled,
    /// A function with more parameters or arguments than slots allow.
    Parameters(TermId),
}

impl From<Full> for Failed {
    fn from(_: Full) -> Self {
        Self::Full
    }
}

/// What is compiled: a term that is evaluated on its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit {
    /// The term.
    pub(crate) root: TermId,
    /// The scope it is evaluated in, if it is evaluated by `eval`.
    pub(crate) scope: Option<u16>,
    /// The tool whose source it is, counted from 1, or 0.
    pub(crate) tool: u32,
    /// Where its faults are reported, if it came from a plain quote.
    pub(crate) site: Option<TermId>,
}

/// Nested functions of one parameter each that are merged into one.
const MERGED: usize = 8;
/// From this slot or depth on, a sub-term becomes a function of its own.
const CROWDED_SLOT: Slot = 160;
const CROWDED_DEPTH: u32 = 200;

/// Applications nested in function position: where the function and its arguments are.
#[derive(Clone, Copy, Debug)]
struct Spine {
    function: Slot,
    base: Slot,
    arguments: u8,
    to: Slot,
}

/// A beginning of the running function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Body {
    /// It takes its argument as one value.
    Whole,
    /// It takes the halves of its argument, which is a pair.
    Halves,
}

/// A call of the running function.
#[derive(Clone, Copy, Debug)]
struct SelfCall {
    body: Body,
    /// Where the argument is, or its halves, one after the other.
    base: Slot,
    /// Pending evaluations around the call; none in tail position.
    depth: Option<u8>,
}

/// A loop whose accumulator is kept in halves: the second one in `second`, the first one after it.
#[derive(Clone, Copy, Debug)]
struct Turn {
    second: Slot,
    depth: u8,
    /// Where the next turn begins.
    to: u32,
}

/// What a value is for.
#[derive(Clone, Copy, Debug)]
enum Goal {
    /// It is that of the running function.
    Return,
    /// It goes to a slot.
    Slot { to: Slot, depth: u32 },
    /// It is a pair, and the next accumulator of a loop.
    Next(Turn),
}

impl Goal {
    /// Pending evaluations around the value.
    fn depth(self) -> u32 {
        match self {
            Self::Return => 0,
            Self::Slot { depth, .. } => depth,
            Self::Next(turn) => u32::from(turn.depth),
        }
    }

    /// Evaluates a term for this, with `d` as the first free slot.
    fn task(self, t: TermId, d: Slot) -> Task {
        match self {
            Self::Return => Task::Tail { t, d },
            Self::Slot { to, depth } => Task::Into { t, d, depth, to },
            Self::Next(turn) => Task::Next { t, d, turn },
        }
    }
}

/// Something to do, in order.
#[derive(Clone, Copy, Debug)]
enum Task {
    /// Evaluate a term into a slot.
    Term {
        t: TermId,
        d: Slot,
        depth: u32,
    },
    /// Evaluate a term as the value of the running function.
    Tail {
        t: TermId,
        d: Slot,
    },
    /// Branch to a label if a term, which is an operand of `of`, is not true.
    Test {
        t: TermId,
        d: Slot,
        depth: u32,
        label: u32,
        of: (TermId, u16),
    },
    /// Note that a term has been visited.
    Visit {
        t: TermId,
        depth: u32,
    },
    /// Note that a term applies a function.
    Applied {
        t: TermId,
        depth: u32,
    },
    /// Note the visits of `fst` or `snd` of a pair that was never built.
    Half {
        t: TermId,
        depth: u32,
    },
    /// Evaluate a term with `d` as the first free slot; its value goes to `to`.
    Into {
        t: TermId,
        d: Slot,
        depth: u32,
        to: Slot,
    },
    /// The bindings of a `let` from `index` on, and its body.
    Let {
        t: TermId,
        index: u32,
        d: Slot,
        goal: Goal,
    },
    /// Make the closure of a function that sees itself.
    Function {
        t: TermId,
        d: Slot,
    },
    /// Evaluate a term that gives a pair as the next accumulator of a loop.
    Next {
        t: TermId,
        d: Slot,
        turn: Turn,
    },
    /// The pair in `d` is the next accumulator of a loop.
    Apart {
        t: TermId,
        d: Slot,
        turn: Turn,
    },
    /// The arguments of nested applications from `index` on, then the call.
    Feed {
        t: TermId,
        index: u32,
        spine: Spine,
        depth: Option<u32>,
    },
    /// Bring the value of a variable into a slot.
    Fetch {
        location: Location,
        d: Slot,
        t: TermId,
    },
    /// Emit an operation.
    Emit {
        op: Op,
        t: TermId,
    },
    /// Emit an operation that ends a block.
    End {
        op: Op,
        t: TermId,
    },
    /// Call the running function.
    CallSelf {
        call: SelfCall,
        t: TermId,
    },
    /// Evaluate the items of a list or record from `index` on and push them.
    Items {
        t: TermId,
        index: u32,
        d: Slot,
        depth: u32,
    },
    /// The next operation has this label.
    Label(u32),
    /// Remember the block at a branch, return to it, forget it.
    Save,
    Restore,
    Bind {
        name: NameId,
        location: Location,
    },
    Unbind {
        count: u32,
    },
    /// The body of the function is complete; its closure goes to `d`.
    Close {
        t: TermId,
        d: Slot,
    },
    /// The second body of a function that takes a pair apart begins.
    Spread {
        t: TermId,
        label: u32,
    },
}

impl Task {
    /// Does an operation; one that pays ends a block.
    fn of(mut op: Op, t: TermId) -> Self {
        if op.set_cost(0) { Self::End { op, t } } else { Self::Emit { op, t } }
    }
}

/// A function being compiled.
#[derive(Debug, Default)]
struct Function {
    arity: u8,
    merged: Vec<u8>,
    ops: Vec<Op>,
    terms: Vec<TermId>,
    visits_at: Vec<u32>,
    labels: Vec<u32>,
    captures: Vec<Place>,
    captured: BTreeMap<NameId, Location>,
    cost: u32,
    visit: u32,
    saved: Vec<(u32, u32)>,
    /// It is the function that `self` means: its operations may call it directly.
    is_self: bool,
    /// Where the body begins that takes the two halves of a pair, once it has begun.
    split: Option<u32>,
}

/// Where constants go.
#[derive(Debug)]
pub(crate) struct Store<'m> {
    /// The heap they are on.
    pub(crate) heap: &'m mut Heap,
    /// All constants; the first is the empty list.
    pub(crate) constants: &'m mut Vec<Word>,
    /// Constants made of literals so far, by term.
    pub(crate) literals: &'m mut BTreeMap<TermId, u32>,
}

/// Compiles units into an image.
#[derive(Debug)]
pub(crate) struct Compiler<'m> {
    terms: &'m Terms,
    image: &'m mut Image,
    heap: &'m mut Heap,
    constants: &'m mut Vec<Word>,
    literals: &'m mut BTreeMap<TermId, u32>,
    debug: bool,
    unit: Unit,
    facts: Facts,
    functions: Vec<Function>,
    bindings: Bindings,
    tasks: Vec<Task>,
}

impl<'m> Compiler<'m> {
    /// A compiler for one unit. `literals` are the constants made so far, by term.
    pub(crate) fn new(
        terms: &'m Terms,
        image: &'m mut Image,
        store: Store<'m>,
        debug: bool,
    ) -> Self {
        let Store { heap, constants, literals } = store;
        Self {
            terms,
            image,
            heap,
            constants,
            literals,
            debug,
            unit: Unit { root: 0, scope: None, tool: 0, site: None },
            facts: Facts::default(),
            functions: Vec::new(),
            bindings: Bindings::default(),
            tasks: Vec::with_capacity(32),
        }
    }

    fn tool(&self) -> Result<u16, Failed> {
        u16::try_from(self.unit.tool).map_err(|_| Failed::Entangled)
    }

    /// Compiles a unit; the result is the index of a code without parameters. `context` are
    /// variables whose values are constants.
    pub(crate) fn unit(mut self, unit: Unit, context: &[(NameId, u32)]) -> Result<u32, Failed> {
        self.unit = unit;
        self.facts = Facts::of(self.terms, unit.root);
        for (name, constant) in context {
            self.bind(*name, Location::At(Place::Constant(*constant)));
        }
        self.functions.push(Function::new(0));
        self.tasks.push(Task::Tail { t: unit.root, d: 0 });
        while let Some(task) = self.tasks.pop() {
            self.run(task)?;
        }
        let function = self.functions.pop().unwrap_or_default();
        Ok(self.place(function))
    }

    fn run(&mut self, task: Task) -> Result<(), Failed> {
        match task {
            Task::Term { t, d, depth } if d > CROWDED_SLOT || depth > CROWDED_DEPTH => {
                self.outline(Task::Tail { t, d: 0 }, t, d, Some(depth), d);
            }
            Task::Tail { t, d } if d > CROWDED_SLOT => {
                self.outline(Task::Tail { t, d: 0 }, t, d, None, d);
            }
            Task::Let { t, index, d, goal } if d > CROWDED_SLOT => {
                let rest = Task::Let { t, index, d: 0, goal: Goal::Return };
                match goal {
                    Goal::Return => self.outline(rest, t, d, None, d),
                    Goal::Slot { to, depth } => self.outline(rest, t, d, Some(depth), to),
                    Goal::Next(turn) => {
                        self.tasks.push(Task::Apart { t, d, turn });
                        self.outline(rest, t, d, Some(goal.depth()), d);
                    }
                }
            }
            Task::Term { t, d, depth } => self.term(t, d, depth)?,
            Task::Tail { t, d } => self.tail(t, d)?,
            Task::Test { t, d, depth, label, of } => self.test(t, d, depth, label, of)?,
            Task::Visit { t, depth } => self.visit(t, depth),
            Task::Applied { t, depth } => self.applied(t, depth),
            Task::Half { t, depth } => self.visit_half(t, depth),
            Task::Into { t, d, depth, to } => self.into(t, d, depth, to)?,
            Task::Let { t, index, d, goal } => self.let_in(t, index, d, goal)?,
            Task::Function { t, d } => self.lambda(t, d)?,
            Task::Next { t, d, turn } => self.next(t, d, turn)?,
            Task::Apart { t, d, turn } => self.apart(t, d, turn),
            Task::Feed { t, index, spine, depth } => self.feed(t, index, spine, depth),
            Task::Fetch { location, d, t } => self.fetch(location, d, t),
            Task::Emit { op, t } => self.emit(op, t),
            Task::End { op, t } => self.end(op, t),
            Task::CallSelf { call, t } => self.call_self(call, t),
            Task::Items { t, index, d, depth } => self.items(t, index, d, depth)?,
            Task::Label(label) => self.mark(label),
            Task::Save => {
                let function = self.function();
                function.saved.push((function.cost, function.visit));
            }
            Task::Restore => {
                let function = self.function();
                (function.cost, function.visit) = function.saved.pop().unwrap_or_default();
            }
            Task::Bind { name, location } => self.bind(name, location),
            Task::Unbind { count } => (0..count).for_each(|_| self.unbind()),
            Task::Close { t, d } => self.close(t, d),
            Task::Spread { t, label } => self.spread(t, label),
        }
        Ok(())
    }

    /// Schedules tasks so that the first is done first.
    fn schedule(&mut self, tasks: &[Task]) {
        self.tasks.extend(tasks.iter().rev());
    }

    fn function(&mut self) -> &mut Function {
        if self.functions.is_empty() {
            self.functions.push(Function::new(0));
        }
        let last = self.functions.len() - 1;
        #[expect(clippy::indexing_slicing, reason = "there is at least one")]
        &mut self.functions[last]
    }

    /// Moves a crowded sub-term into a function of its own, called on the spot; its value goes
    /// to `to`, or is the value of the running function if there is no depth.
    fn outline(&mut self, body: Task, t: TermId, d: Slot, depth: Option<u32>, to: Slot) {
        self.functions.push(Function::new(0));
        let (close, base) = (Task::Close { t, d }, d.saturating_add(1));
        let Some(depth) = depth else {
            let op = Op::TailCall { f: d, base, n: 0, cost: 0 };
            return self.schedule(&[body, close, Task::End { op, t }]);
        };
        let call = Op::Call { f: d, base, n: 0, depth: forms::slot(depth), cost: 0 };
        let take = Op::Move { d: to, a: base };
        self.schedule(&[body, close, Task::End { op: call, t }, Task::Emit { op: take, t }]);
    }
}
