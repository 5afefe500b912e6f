//! The compiler of one unit: the functions in progress, and the tasks left.

use crate::code::{Image, Op, Place, Slot};
use crate::compile::place::{Bindings, slot};
use crate::compile::task::Task;
use crate::memory::heap::{Full, Heap};
use crate::memory::word::Word;
use pif_core::ids::IdMap;
use pif_language::term::{TermId, Terms};

/// The reason why a term cannot be compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failed {
    /// Its constants do not fit in memory.
    Full,
    /// Its functions share too many variables.
    Entangled,
    /// A state that cannot be.
    Defect,
    /// A function has more parameters or arguments than slots allow.
    Parameters(TermId),
    /// A term is not one of a value.
    NotAValue(TermId),
}

impl From<Full> for Failed {
    fn from(_: Full) -> Self {
        Self::Full
    }
}

/// A unit to compile: a term that is evaluated on its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit {
    /// The term.
    pub(crate) root: TermId,
    /// The scope of its evaluation, if `eval` evaluates it.
    pub(crate) scope: Option<u16>,
    /// The tool whose source it is, counted from 1, or 0.
    pub(crate) tool: u32,
    /// The term for its faults, if it came from a plain quote.
    pub(crate) site: Option<TermId>,
}

/// A function being compiled.
#[derive(Debug, Default)]
pub(super) struct Function {
    pub(super) arity: u8,
    pub(super) ops: Vec<Op>,
    pub(super) terms: Vec<TermId>,
    pub(super) visits_at: Vec<u32>,
    pub(super) labels: Vec<Option<u32>>,
    pub(super) captures: Vec<Place>,
    /// The index of each captured name in `places`.
    pub(super) captured: IdMap,
    pub(super) places: Vec<Place>,
    pub(super) cost: u32,
    pub(super) visit: u32,
    pub(super) saved: Vec<(u32, u32)>,
    /// Whether `self` means this function, so that its operations may call it directly.
    pub(super) is_self: bool,
}

/// The compiler's access to constants.
#[derive(Debug)]
pub(crate) struct Store<'m> {
    /// The heap they are on.
    pub(crate) heap: &'m mut Heap,
    /// All constants; the first is the empty list.
    pub(crate) constants: &'m mut Vec<Word>,
    /// Constants made of literals so far, by term.
    pub(crate) literals: &'m mut IdMap,
}

/// Compiles units into an image.
#[derive(Debug)]
pub(crate) struct Compiler<'m> {
    pub(super) terms: &'m Terms,
    pub(super) image: &'m mut Image,
    pub(super) heap: &'m mut Heap,
    pub(super) constants: &'m mut Vec<Word>,
    pub(super) literals: &'m mut IdMap,
    pub(super) debug: bool,
    pub(super) unit: Unit,
    pub(super) functions: Vec<Function>,
    pub(super) bindings: Bindings,
    pub(super) tasks: Vec<Task>,
}

impl<'m> Compiler<'m> {
    /// Makes a compiler for one unit.
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
            functions: Vec::new(),
            bindings: Bindings::default(),
            tasks: Vec::with_capacity(32),
        }
    }

    pub(super) fn tool(&self) -> Result<u16, Failed> {
        u16::try_from(self.unit.tool).map_err(|_| Failed::Entangled)
    }

    /// Schedules tasks in reverse, so that the first is done first.
    pub(super) fn schedule(&mut self, tasks: &[Task]) {
        self.tasks.extend(tasks.iter().rev());
    }

    pub(super) fn function(&mut self) -> &mut Function {
        if self.functions.is_empty() {
            self.functions.push(Function::new(0));
        }
        let last = self.functions.len() - 1;
        #[expect(clippy::indexing_slicing, reason = "there is at least one")]
        &mut self.functions[last]
    }

    /// Moves a crowded sub-term into a function of its own, which is called at once. Its value goes
    /// to `to`, or becomes the running function's value if there is no depth.
    pub(super) fn outline(&mut self, body: Task, t: TermId, d: Slot, depth: Option<u32>, to: Slot) {
        self.functions.push(Function::new(0));
        let close = Task::Close { t, d };
        let base = d.saturating_add(1);
        let Some(depth) = depth else {
            let op = Op::TailCall { f: d, base, n: 0, cost: 0 };
            return self.schedule(&[body, close, Task::End { op, t }]);
        };
        let call = Op::Call { f: d, base, n: 0, depth: slot(depth), cost: 0 };
        let take = Op::Move { d: to, a: base };
        self.schedule(&[body, close, Task::End { op: call, t }, Task::Emit { op: take, t }]);
    }
}
