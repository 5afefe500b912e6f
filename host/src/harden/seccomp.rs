//! The system calls that are left: memory without execution, threads, time, what is open already,
//! and the files of a data directory (which ones, Landlock decides). There are no sockets, no new
//! programs or processes, no tracing, no identities, mounts, keys, modules, rings or BPF, nor
//! anything that Linux may come to have.
//!
//! A list of what is allowed, because a list of what is denied is never complete. Its danger is a
//! call that some libc makes and the list misses. That is why any other call fails with `ENOSYS`
//! and ends nothing: it is what a kernel without the call says, and every libc falls back to an
//! older call then (`clone3` to `clone`, `faccessat2` to `faccessat`). `EPERM` has no fallback.
//! Calls of another architecture end the process; nothing in it makes them.

use std::collections::BTreeMap;
use std::env::consts::ARCH;
use std::process;

use libc::c_long;
use seccompiler::{
    BackendError, BpfProgram, Error, SeccompAction, SeccompCmpArgLen, SeccompCmpOp,
    SeccompCondition, SeccompFilter, SeccompRule, apply_filter_all_threads,
};

use self::SeccompCmpArgLen::{Dword, Qword};
use self::SeccompCmpOp::{Eq, MaskedEq};

const MEMORY: &[c_long] = &[
    libc::SYS_brk,
    libc::SYS_madvise,
    libc::SYS_membarrier,
    // The image from which instances start, where it is not mapped from the compiled file.
    libc::SYS_memfd_create,
    libc::SYS_mincore,
    libc::SYS_mremap,
    libc::SYS_msync,
    libc::SYS_munmap,
];

const THREADS: &[c_long] = &[
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_futex,
    libc::SYS_get_robust_list,
    libc::SYS_getcpu,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_restart_syscall,
    libc::SYS_rseq,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_yield,
    libc::SYS_set_robust_list,
    libc::SYS_set_tid_address,
    libc::SYS_sigaltstack,
];

const WORLD: &[c_long] = &[
    libc::SYS_clock_getres,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_getegid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getrandom,
    libc::SYS_gettimeofday,
    libc::SYS_getuid,
    libc::SYS_nanosleep,
    libc::SYS_sysinfo,
    libc::SYS_uname,
];

/// On what is open, but for `recvfrom`: the runtime tells itself of signals through a socket.
const OPEN: &[c_long] = &[
    libc::SYS_close,
    libc::SYS_dup,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_epoll_pwait2,
    libc::SYS_fadvise64,
    libc::SYS_fallocate,
    libc::SYS_fchmod,
    libc::SYS_fchown,
    libc::SYS_fcntl,
    libc::SYS_fdatasync,
    libc::SYS_flock,
    libc::SYS_fstat,
    libc::SYS_fstatfs,
    libc::SYS_fsync,
    libc::SYS_ftruncate,
    libc::SYS_getdents64,
    libc::SYS_lseek,
    libc::SYS_ppoll,
    libc::SYS_pread64,
    libc::SYS_preadv,
    libc::SYS_pwrite64,
    libc::SYS_pwritev,
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_recvfrom,
    libc::SYS_write,
    libc::SYS_writev,
];

/// By path. Landlock decides on opening, making and removing; the others tell that a file exists.
const PATHS: &[c_long] = &[
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_getcwd,
    libc::SYS_mkdirat,
    libc::SYS_newfstatat,
    libc::SYS_openat,
    libc::SYS_readlinkat,
    libc::SYS_renameat2,
    libc::SYS_statfs,
    libc::SYS_statx,
    libc::SYS_unlinkat,
];

/// The older spellings of calls above, which some libc may prefer.
#[cfg(target_arch = "x86_64")]
const OLDER: &[c_long] = &[
    libc::SYS_access,
    libc::SYS_epoll_wait,
    libc::SYS_lstat,
    libc::SYS_mkdir,
    libc::SYS_open,
    libc::SYS_poll,
    libc::SYS_readlink,
    libc::SYS_rename,
    libc::SYS_renameat,
    libc::SYS_rmdir,
    libc::SYS_stat,
    libc::SYS_time,
    libc::SYS_unlink,
];

#[cfg(target_arch = "aarch64")]
const OLDER: &[c_long] = &[
    // renameat, which the libc crate does not name for this architecture.
    38,
];

/// The new process or namespace that a `clone` may ask for instead of a thread.
const CLONE_OTHER: i32 = libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWUTS
    | libc::CLONE_PTRACE;

/// Requests to devices and files: which pages of an instance were written (to clear no others),
/// close on execution, do not block, and whether this is a terminal. The libc crate lacks the
/// first, and has the others in a type of each libc's own.
const PAGEMAP_SCAN: u64 = 0xc060_6610;
const FIOCLEX: u64 = 0x5451;
const FIONBIO: u64 = 0x5421;
const TCGETS: u64 = 0x5401;

/// Restricts all threads.
pub(super) fn restrict() -> Result<(), Error> {
    let (denied, allowed) = (SeccompAction::Errno(ENOSYS), SeccompAction::Allow);
    let filter = SeccompFilter::new(rules()?, denied, allowed, ARCH.try_into()?)?;
    apply_filter_all_threads(&BpfProgram::try_from(filter)?)
}

const ENOSYS: u32 = libc::ENOSYS.unsigned_abs();

fn rules() -> Result<BTreeMap<c_long, Vec<SeccompRule>>, BackendError> {
    let free = [MEMORY, THREADS, WORLD, OPEN, PATHS, OLDER].concat();
    let mut rules: BTreeMap<_, _> = free.into_iter().map(|call| (call, Vec::new())).collect();
    let no_execution = || argument(2, Dword, MaskedEq(bits(libc::PROT_EXEC)), 0);
    rules.insert(libc::SYS_mmap, vec![rule([no_execution()?])?]);
    rules.insert(libc::SYS_mprotect, vec![rule([no_execution()?])?]);
    let thread = bits(libc::CLONE_THREAD);
    let kind = MaskedEq(thread | bits(CLONE_OTHER));
    rules.insert(libc::SYS_clone, vec![rule([argument(0, Dword, kind, thread)?])?]);
    let requests = [PAGEMAP_SCAN, FIOCLEX, FIONBIO, TCGETS];
    let requests = requests.map(|request| rule([argument(1, Dword, Eq, request)?]));
    rules.insert(libc::SYS_ioctl, requests.into_iter().collect::<Result<_, _>>()?);
    // Threads are given names.
    let name = argument(0, Dword, Eq, bits(libc::PR_SET_NAME))?;
    rules.insert(libc::SYS_prctl, vec![rule([name])?]);
    // Limits may be read, and only our own.
    let own = [argument(0, Dword, Eq, 0)?, argument(2, Qword, Eq, 0)?];
    rules.insert(libc::SYS_prlimit64, vec![rule(own)?]);
    // To the other end of a pair, never to an address.
    let connected = argument(4, Qword, Eq, 0)?;
    rules.insert(libc::SYS_sendto, vec![rule([connected])?]);
    // Abort is a signal to oneself.
    let oneself = argument(0, Dword, Eq, u64::from(process::id()))?;
    rules.insert(libc::SYS_tgkill, vec![rule([oneself])?]);
    Ok(rules)
}

fn rule<const N: usize>(conditions: [SeccompCondition; N]) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(conditions.into())
}

fn argument(
    index: u8,
    length: SeccompCmpArgLen,
    operator: SeccompCmpOp,
    value: u64,
) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(index, length, operator, value)
}

/// Flags as the kernel sees them.
fn bits(flags: i32) -> u64 {
    u64::from(flags.cast_unsigned())
}
