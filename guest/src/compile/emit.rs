//! Emits operations: blocks with their costs, labels, and finished functions.

use crate::compile::compiler::{Compiler, Failed, Function};
use crate::compile::task::SelfCall;
use pif_core::limits::to_u32;

use crate::code::{Code, Entry, NO_VISIT, Op, Place, Slot, Source, Visit};
use crate::memory::word::{CLOSURE, KIND_CLOSURE, Word, header, pointer};
use pif_language::term::TermId;

impl Function {
    pub(super) fn new(arity: u8) -> Self {
        Self {
            arity,
            visit: NO_VISIT,
            ops: Vec::with_capacity(16),
            terms: Vec::with_capacity(16),
            visits_at: Vec::with_capacity(16),
            ..Self::default()
        }
    }

    pub(super) fn here(&self) -> u32 {
        to_u32(self.ops.len())
    }

    pub(super) fn label(&mut self) -> u32 {
        self.labels.push(None);
        to_u32(self.labels.len() - 1)
    }
}

impl Compiler<'_> {
    pub(super) fn emit(&mut self, op: Op, t: TermId) {
        let function = self.function();
        let visit = function.visit;
        function.ops.push(op);
        function.terms.push(t);
        function.visits_at.push(visit);
    }

    /// Notes the visit of a term.
    pub(super) fn visit(&mut self, term: TermId, depth: u32) {
        let price = self.terms.form(term).visit_price();
        self.note(term, depth, 1, price);
    }

    /// Notes the visits of literals with consecutive ids.
    pub(super) fn visit_literals(&mut self, first: TermId, depth: u32, nodes: u32) {
        self.note(first, depth, nodes, 1);
    }

    /// Notes an application that a term makes.
    pub(super) fn applied(&mut self, term: TermId, depth: u32) {
        let price = self.terms.form(term).application_price();
        self.note(term, depth, 1, price);
    }

    fn note(&mut self, term: TermId, depth: u32, nodes: u32, price: u16) {
        let function = self.function();
        // Deeper terms are already functions of their own.
        let depth = u16::try_from(depth).unwrap_or(u16::MAX);
        let visit = Visit { previous: function.visit, term, nodes, depth, price };
        function.cost = function.cost.saturating_add(nodes * u32::from(price));
        let id = to_u32(self.image.visits.len());
        self.image.visits.push(visit);
        self.function().visit = id;
        if self.debug {
            let names = self.names_and_places();
            self.image.debug_names.push(names);
            self.emit(Op::Debug { visit: id }, term);
        }
    }

    /// Emits the last operation of a block, with the block's cost.
    pub(super) fn end(&mut self, op: Op, t: TermId) {
        let mut op = op;
        let total = self.function().cost;
        let fits = op.set_cost(total);
        if !fits {
            self.emit(Op::Pay { cost: total }, t);
            self.reset_block();
        }
        self.emit(op, t);
        self.reset_block();
    }

    fn reset_block(&mut self) {
        let function = self.function();
        (function.cost, function.visit) = (0, NO_VISIT);
    }

    /// Emits a call of the running function: a jump to its body, or a call of the value of `self` if
    /// the body is too far away.
    pub(super) fn call_self(&mut self, call: SelfCall, t: TermId) -> Result<(), Failed> {
        let SelfCall { base, depth } = call;
        self.pay_if_much(t);
        let Ok(back) = u16::try_from(self.function().here()) else {
            return self.far_call(call, t);
        };
        let op = match depth {
            Some(depth) => Op::CallSelf { base, depth, cost: 0, back },
            None => Op::TailSelf { base, cost: 0, back },
        };
        self.end(op, t);
        Ok(())
    }

    /// Pays for the block so far, if its last operation cannot pay that much.
    fn pay_if_much(&mut self, t: TermId) {
        let cost = self.function().cost;
        if u16::try_from(cost).is_err() {
            self.emit(Op::Pay { cost }, t);
            self.reset_block();
        }
    }

    fn far_call(&mut self, SelfCall { base, depth }: SelfCall, t: TermId) -> Result<(), Failed> {
        let f = base + 1;
        let tool = self.tool()?;
        let below = depth.unwrap_or_default();
        self.end(Op::SelfTool { d: f, depth: below + 1, cost: 0, tool }, t);
        let call = match depth {
            Some(depth) => Op::Call { f, base, n: 1, depth, cost: 0 },
            None => Op::TailCall { f, base, n: 1, cost: 0 },
        };
        self.end(call, t);
        Ok(())
    }

    /// Tells whether `self` means the current function.
    pub(super) fn is_self(&mut self) -> bool {
        self.function().is_self
    }

    pub(super) fn label(&mut self) -> u32 {
        self.function().label()
    }

    pub(super) fn mark(&mut self, label: u32) {
        let function = self.function();
        let here = function.here();
        if let Some(slot) = function.labels.get_mut(label as usize) {
            *slot = Some(here);
        }
    }

    pub(super) fn constant(&mut self, word: Word) -> u32 {
        self.constants.push(word);
        to_u32(self.constants.len() - 1)
    }

    /// Copies a variable's value to a slot.
    pub(super) fn fetch(&mut self, place: Place, d: Slot, t: TermId) {
        match place {
            Place::Slot(a) if a == d => {}
            Place::Slot(a) => self.emit(Op::Move { d, a }, t),
            Place::Captured(i) => self.emit(Op::Capture { d, i }, t),
            Place::Constant(k) => self.emit(Op::Constant { d, k }, t),
        }
    }

    /// Ends a function, and makes its closure in the function around it.
    pub(super) fn close(&mut self, t: TermId, d: Slot) -> Result<(), Failed> {
        let function = self.functions.pop().ok_or(Failed::Defect)?;
        let captures = function.captures.clone();
        let code = self.place(function, t)?;
        if captures.is_empty() && self.heap.grow(1).is_ok() {
            let at = self.heap.claim(1);
            self.heap.put(at, &[header(KIND_CLOSURE, 1, code)]);
            let k = self.constant(pointer(at, CLOSURE));
            self.emit(Op::Constant { d, k }, t);
            return Ok(());
        }
        let op = match *captures {
            [Place::Slot(a)] => Op::CloseOver { d, a, code },
            _ => Op::Close { d, code },
        };
        self.emit(op, t);
        Ok(())
    }

    /// Puts the operations of a finished function, which were compiled from `t`, into the image.
    pub(super) fn place(&mut self, function: Function, t: TermId) -> Result<u32, Failed> {
        if let Some(sources) = &mut self.image.sources {
            let place = |at: u32| function.places.get(at as usize).copied();
            let names = function.captured.iter();
            let names = names.filter_map(|(name, at)| Some((name, place(at)?))).collect();
            sources.push(Source { lambda: t, names });
        }
        let Function { arity, ops, terms, visits_at, labels, captures, .. } = function;
        let entry = to_u32(self.image.ops.len());
        // A jump to a label without a place is a defect.
        let target = |label: u32| labels.get(label as usize).copied().flatten();
        self.image.ops.reserve(ops.len());
        for mut op in ops {
            if let Some(to) = op.target() {
                *to = target(*to).ok_or(Failed::Defect)? + entry;
            }
            self.image.ops.push(op);
        }
        self.image.terms.extend(terms);
        self.image.visits_at.extend(visits_at);
        let end = to_u32(self.image.ops.len());
        self.image.entries.push(Entry { pc: entry, arity });
        let tool = self.unit.tool;
        let site = self.unit.site;
        self.image.codes.push(Code { entry, end, arity, captures, tool, site });
        Ok(to_u32(self.image.codes.len() - 1))
    }
}
