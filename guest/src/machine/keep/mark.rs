//! What is known of the objects on the heap.

use crate::memory::heap::Heap;

/// A byte for each word of the heap: what is known of the object that begins there.
pub(super) struct Marks(Vec<u8>);

impl Marks {
    pub(super) fn of(heap: &Heap) -> Self {
        Self(vec![0; heap.top])
    }

    pub(super) fn has(&self, at: usize, bit: u8) -> bool {
        self.0.get(at).is_some_and(|marks| marks & bit != 0)
    }

    /// Sets a bit. Returns whether it was set before.
    pub(super) fn set(&mut self, at: usize, bit: u8) -> bool {
        let Some(marks) = self.0.get_mut(at) else { return true };
        let was_set = *marks & bit != 0;
        *marks |= bit;
        was_set
    }

    pub(super) fn clear(&mut self, at: usize, bit: u8) {
        self.0.get_mut(at).into_iter().for_each(|marks| *marks &= !bit);
    }
}
