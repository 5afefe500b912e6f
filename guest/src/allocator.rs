//! The allocator of the component: `dlmalloc` behind four functions that nothing inlines. So it
//! can be built for speed: built for size, it calls a function for each step of a pointer.

#![expect(unsafe_code, reason = "what a global allocator is has no safe form")]

use core::alloc::{GlobalAlloc, Layout};
use dlmalloc::GlobalDlmalloc;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

#[derive(Debug)]
struct Allocator;

// SAFETY: each function hands on what it was given, so both sides' conditions are the same.
unsafe impl GlobalAlloc for Allocator {
    #[inline(never)]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        unsafe { GlobalDlmalloc.alloc(layout) }
    }

    #[inline(never)]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        unsafe { GlobalDlmalloc.alloc_zeroed(layout) }
    }

    #[inline(never)]
    unsafe fn realloc(&self, start: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        unsafe { GlobalDlmalloc.realloc(start, layout, size) }
    }

    #[inline(never)]
    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        unsafe { GlobalDlmalloc.dealloc(start, layout) }
    }
}
