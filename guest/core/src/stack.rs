//! Functions that call themselves as deep as their input nests, on a stack in the heap.
//!
//! A function that recurses is `async`, and makes each recursive call through [`Stack::call`]. The
//! call is a task of its own: the caller waits while the task above it runs, so the native stack
//! holds one level at a time. Nothing here waits for anything else, so no run of [`run`] blocks.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

type Task<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;

/// The tasks that have begun and not ended, the innermost last.
#[derive(Clone, Default)]
pub struct Stack<'a> {
    tasks: Rc<RefCell<Vec<Task<'a>>>>,
}

impl fmt::Debug for Stack<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stack({} called)", self.tasks.borrow().len())
    }
}

impl<'a> Stack<'a> {
    /// Runs a function as a task above the one that calls, which must wait for the answer at once.
    /// The type of the answer does not hold the function, so that functions may call themselves.
    pub fn call<T: 'a>(&self, function: impl Future<Output = T> + 'a) -> Answer<T> {
        let place = Rc::new(Cell::new(None));
        let result = Rc::clone(&place);
        let task = Box::pin(async move { result.set(Some(function.await)) });
        self.tasks.borrow_mut().push(task);
        Answer { place }
    }
}

/// The result of a task that has ended.
pub struct Answer<T> {
    place: Rc<Cell<Option<T>>>,
}

impl<T> fmt::Debug for Answer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Answer")
    }
}

impl<T> Future for Answer<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<T> {
        self.place.take().map_or(Poll::Pending, Poll::Ready)
    }
}

/// Runs a function that makes its recursive calls on this stack.
pub fn run<'a, T: 'a>(stack: &Stack<'a>, function: impl Future<Output = T> + 'a) -> Option<T> {
    let place = Rc::new(Cell::new(None));
    let result = Rc::clone(&place);
    let mut current: Task<'a> = Box::pin(async move { result.set(Some(function.await)) });
    let mut waiting: Vec<Task<'a>> = Vec::new();
    let mut context = Context::from_waker(Waker::noop());
    loop {
        let is_done = current.as_mut().poll(&mut context).is_ready();
        let called = stack.tasks.borrow_mut().pop();
        current = match (is_done, called) {
            (false, Some(called)) => {
                waiting.push(std::mem::replace(&mut current, called));
                continue;
            }
            // A task waits only for one that it has called.
            (false, None) => return None,
            (true, _) => match waiting.pop() {
                Some(caller) => caller,
                None => return place.take(),
            },
        };
    }
}
