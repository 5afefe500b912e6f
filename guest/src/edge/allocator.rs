//! The allocator of the component: `dlmalloc` behind four functions that are never inlined. They
//! let the build optimize `dlmalloc` for speed. A build for size makes each pointer step a call.

#![expect(unsafe_code, reason = "a global allocator has no safe form")]

use core::alloc::{GlobalAlloc, Layout};
use core::ops::RangeInclusive;
use dlmalloc::GlobalDlmalloc;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

/// Growth, in bytes, for which `realloc` calls `extend`. Less is cheaper to copy, and nothing that
/// grows in steps grows by more.
const LONG: RangeInclusive<usize> = 1 << 12..=1 << 26;

#[derive(Debug)]
struct Allocator;

// SAFETY: each function passes on its arguments, so the caller's conditions are the callee's.
// `extend` takes a block of nonzero size, shares it with nobody, and frees it at once.
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

/// Makes that much memory free, mostly behind all blocks in use. `dlmalloc` moves the last block
/// when it outgrows the memory it has. With more memory behind it, the block stays.
///
/// # Safety
///
/// As for `alloc`: the size of `layout` is not zero.
unsafe fn extend(layout: Layout) {
    unsafe {
        let taken = GlobalDlmalloc.alloc(layout);
        if !taken.is_null() {
            GlobalDlmalloc.dealloc(taken, layout);
        }
    }
}
