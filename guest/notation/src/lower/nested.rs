//! Lists of the constructs around a place, the innermost first. Nested places share the outer part.

use std::rc::Rc;

/// A list to which each level of nesting adds one in front.
#[derive(Debug)]
pub(super) struct Nested<T>(Option<Rc<(T, Nested<T>)>>);

impl<T> Clone for Nested<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Default for Nested<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Nested<T> {
    /// Adds the innermost element.
    pub(super) fn push(&mut self, inner: T) {
        let outer = std::mem::take(self);
        self.0 = Some(Rc::new((inner, outer)));
    }

    /// Goes from the innermost to the outermost.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        let mut next = self.0.as_deref();
        std::iter::from_fn(move || {
            let (inner, outer) = next?;
            next = outer.0.as_deref();
            Some(inner)
        })
    }
}

impl<T> Drop for Nested<T> {
    /// Drops level by level, so that the native stack does not grow with the nesting.
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(level) = next {
            next = Rc::into_inner(level).and_then(|(_, mut outer)| outer.0.take());
        }
    }
}
