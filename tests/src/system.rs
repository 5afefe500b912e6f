//! System calls as they are: what a libc would do first, or instead, is not what a test of
//! Landlock and seccomp asks about.

use libc::c_long;

/// Makes a system call; what comes back below zero is an error number.
///
/// # Errors
///
/// The error number.
#[expect(unsafe_code, reason = "there is no other way to ask for a call that is to be refused")]
pub fn call(number: c_long, arguments: [u64; 6]) -> Result<u64, i32> {
    let [a, b, c, d, e, f] = arguments;
    // SAFETY: the callers are tests, which pass no address of their own memory, and ask for
    // nothing that touches memory in use.
    let result = unsafe { libc::syscall(number, a, b, c, d, e, f) };
    u64::try_from(result)
        .map_err(|_| std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO))
}

/// The kernel's version of Landlock, 0 where there is none.
#[must_use]
pub fn landlock_abi() -> u64 {
    const VERSION: u64 = 1;
    call(libc::SYS_landlock_create_ruleset, [0, 0, VERSION, 0, 0, 0]).unwrap_or(0)
}

/// Whether the kernel knows seccomp, and the host knows its calls on this processor.
#[must_use]
pub fn has_seccomp() -> bool {
    let mode = u64::from(libc::PR_GET_SECCOMP.cast_unsigned());
    cfg!(any(target_arch = "x86_64", target_arch = "aarch64"))
        && call(libc::SYS_prctl, [mode, 0, 0, 0, 0, 0]).is_ok()
}
