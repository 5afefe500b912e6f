//! Fuel and depth. Both are counted exactly as LANGUAGE.md says (Fuel and depth), but checked only
//! at the end of a block. A block has no effects, so a late check can report the exact place.

use crate::code::{Image, Visit};
use pif_core::limits::Limits;
use pif_language::term::TermId;

/// The reason for a stop without a fault of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    OutOfFuel,
    TooDeep,
    Pause,
}

/// The fuel and depth left.
#[derive(Debug)]
pub(crate) struct Meter {
    /// Fuel that you may spend without a check.
    pub(crate) fuel: i64,
    /// The rest of the fuel. `fuel` plus `reserve` is the fuel left.
    reserve: i64,
    /// The run pauses when this much fuel is left.
    pause_at: i64,
    limit: i64,
    max_depth: u32,
    /// Check every block, because the depth limit may be near.
    careful: bool,
    /// Below this depth, no block can exceed the limit.
    soft_depth: u32,
    peak_depth: u32,
    /// The term whose visit reached a limit.
    stopped_at: Option<TermId>,
}

/// Depth that a single function can add by itself. `compile` splits deeper terms.
const FUNCTION_DEPTH: u32 = 256;

impl Meter {
    pub(crate) fn new(limits: &Limits) -> Self {
        let limit = i64::try_from(limits.fuel).unwrap_or(i64::MAX).min(i64::MAX / 4);
        let soft_depth = limits.depth.saturating_sub(FUNCTION_DEPTH - 1);
        let mut meter = Self {
            fuel: limit,
            reserve: 0,
            pause_at: 0,
            limit,
            max_depth: limits.depth,
            careful: false,
            soft_depth,
            peak_depth: 0,
            stopped_at: None,
        };
        meter.distribute(limit, 0);
        meter
    }

    /// Returns the fuel left.
    pub(crate) fn left(&self) -> i64 {
        self.fuel + self.reserve
    }

    pub(crate) fn spent(&self) -> u64 {
        (self.limit - self.left().max(0)).unsigned_abs()
    }

    pub(crate) fn stopped_at(&self) -> Option<TermId> {
        self.stopped_at
    }

    pub(crate) fn peak_depth(&self) -> u32 {
        self.peak_depth
    }

    /// Makes the run pause after `slice` more fuel.
    pub(crate) fn begin_slice(&mut self, slice: u64) {
        let slice = i64::try_from(slice.max(1)).unwrap_or(i64::MAX);
        let left = self.left();
        self.pause_at = left.saturating_sub(slice).max(0);
        self.distribute(left, if self.careful { u32::MAX } else { 0 });
    }

    /// Tells whether every block at this depth needs a check.
    pub(crate) fn is_near(&self, depth: u32) -> bool {
        depth >= self.soft_depth
    }

    /// Checks every block from now on.
    pub(crate) fn be_careful(&mut self, depth: u32) {
        self.peak_depth = self.peak_depth.max(depth.min(self.max_depth));
        if !self.careful {
            let left = self.left();
            self.distribute(left, u32::MAX);
        }
    }

    fn distribute(&mut self, left: i64, depth: u32) {
        self.careful = self.is_near(depth);
        self.fuel = if self.careful { 0 } else { left - self.pause_at };
        self.reserve = left - self.fuel;
    }

    /// Checks the block of the operation at `pc`, which cannot pay `cost`. Finds the limit that its
    /// block reaches, or makes `cost` available.
    pub(crate) fn settle(
        &mut self,
        image: &Image,
        pc: usize,
        cost: u32,
        depth: u32,
    ) -> Result<(), Stop> {
        self.note_depth(depth);
        let (left, cost) = (self.left(), i64::from(cost));
        if left <= self.pause_at && left > 0 {
            return Err(Stop::Pause);
        }
        if self.careful || left < cost {
            self.visit(&image.visited(pc), depth)?;
        }
        self.distribute(left, depth);
        self.fuel = self.fuel.max(cost);
        self.reserve = left - self.fuel;
        Ok(())
    }

    pub(crate) fn note_depth(&mut self, depth: u32) {
        self.peak_depth = self.peak_depth.max(depth.min(self.max_depth));
    }

    /// Checks visits one by one, as the definitional evaluator does. Spends nothing unless one of
    /// them is too many.
    fn visit(&mut self, visits: &[Visit], depth: u32) -> Result<(), Stop> {
        let mut left = self.left();
        if left < 0 {
            self.set_left(0);
            return Err(Stop::OutOfFuel);
        }
        for visit in visits {
            if depth.saturating_add(u32::from(visit.depth)) > self.max_depth {
                self.set_left(left);
                self.peak_depth = self.max_depth;
                self.stopped_at = Some(visit.term);
                return Err(Stop::TooDeep);
            }
            let reached = u32::try_from(left).unwrap_or(u32::MAX);
            left -= visit.cost();
            if left < 0 {
                self.set_left(0);
                // Nodes noted in one visit are literals with consecutive ids.
                self.stopped_at = Some(visit.term + reached.min(visit.nodes - 1));
                return Err(Stop::OutOfFuel);
            }
        }
        Ok(())
    }

    /// Distributes the fuel left again, after a caught fault.
    pub(crate) fn go_on(&mut self, depth: u32) {
        let left = self.left();
        self.distribute(left, depth);
    }

    fn set_left(&mut self, left: i64) {
        self.reserve = left - self.fuel;
    }

    /// Spends the fuel of visits up to a fault in the block at `pc`, which is not paid. Or finds
    /// that the run reached a limit first.
    pub(crate) fn spend_visited(
        &mut self,
        image: &Image,
        pc: usize,
        depth: u32,
    ) -> Result<(), Stop> {
        self.note_depth(depth);
        let visits = image.visited(pc);
        self.visit(&visits, depth)?;
        let cost: i64 = visits.iter().map(Visit::cost).sum();
        self.set_left(self.left() - cost);
        Ok(())
    }

    /// Spends fuel outside any operation.
    pub(crate) fn spend(&mut self, amount: u64) -> Result<(), Stop> {
        let left = self.left().saturating_sub(i64::try_from(amount).unwrap_or(i64::MAX));
        self.distribute(left.max(0), if self.careful { u32::MAX } else { 0 });
        if left < 0 { Err(Stop::OutOfFuel) } else { Ok(()) }
    }

    /// Takes back what was spent.
    pub(crate) fn give_back(&mut self, amount: u64) {
        let left = self.left().saturating_add(i64::try_from(amount).unwrap_or(i64::MAX));
        self.distribute(left.min(self.limit), if self.careful { u32::MAX } else { 0 });
    }

    /// Spends fuel on bulk work at `pc`. The visits before it may already be too deep.
    pub(crate) fn bulk(
        &mut self,
        image: &Image,
        pc: usize,
        depth: u32,
        amount: u64,
    ) -> Result<(), Stop> {
        // An operation without a cost belongs to a block that is not paid yet.
        let pending = if image.op(pc).cost() == 0 { image.visited(pc) } else { Vec::new() };
        self.visit(&pending, depth)?;
        let pending: i64 = pending.iter().map(Visit::cost).sum();
        let amount = i64::try_from(amount).unwrap_or(i64::MAX);
        let left = self.left().saturating_sub(amount);
        if left < pending {
            self.set_left(0);
            return Err(Stop::OutOfFuel);
        }
        self.distribute(left, depth);
        Ok(())
    }
}
