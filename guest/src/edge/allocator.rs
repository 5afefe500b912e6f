//! The allocator of the component: `dlmalloc` behind four functions that nothing inlines. So it
//! can be built for speed: built for size, it calls a function for each step of a pointer.

#![expect(unsafe_code, reason = "what a global allocator is has no safe form")]

use core::alloc::{GlobalAlloc, Layout};
use core::ops::RangeInclusive;
use dlmalloc::GlobalDlmalloc;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

/// Bytes to grow by that are worth looking whether the place is the last: fewer are copied with less
/// effort, and nothing that is reserved little by little grows by more.
const LONG: RangeInclusive<usize> = 1 << 12..=1 << 26;

#[derive(Debug)]
struct Allocator;

// SAFETY: each function hands on what it was given, so both sides' conditions are the same. What
// `extend` takes is of a size, nobody else hears of it, and it is given back at once.
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
        let more = size.saturating_sub(layout.size());
        if LONG.contains(&more)
            && let Ok(behind) = Layout::from_size_align(more, layout.align())
        {
            unsafe { extend(behind) };
        }
        unsafe { GlobalDlmalloc.realloc(start, layout, size) }
    }

    #[inline(never)]
    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        unsafe { GlobalDlmalloc.dealloc(start, layout) }
    }
}

/// Sees to it that so much memory is free, mostly behind all that is in use. `dlmalloc` moves what lies
/// last as soon as it grows beyond the memory that there is; with more of it there, it stays.
///
/// # Safety
///
/// As for `alloc`: `layout` has a size.
unsafe fn extend(layout: Layout) {
    unsafe {
        let taken = GlobalDlmalloc.alloc(layout);
        if !taken.is_null() {
            GlobalDlmalloc.dealloc(taken, layout);
        }
    }
}
