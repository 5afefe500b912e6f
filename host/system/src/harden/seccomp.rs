//! The allowed system calls: memory without execution, threads, time, open files, and the files of
//! a data directory (Landlock restricts which). New sockets and connections, new programs or processes, tracing,
//! identities, mounts, keys, modules, rings and BPF are not allowed, nor is any future call.
//!
//! This is a list of allowed calls, because a list of denied calls is never complete. Its risk is a
//! call that some libc makes and the list omits. Any other call therefore fails with `ENOSYS` and
//! does not end the process. A kernel without the call returns that error, and every libc then
//! falls back to an older call (`clone3` to `clone`, `faccessat2` to `faccessat`). `EPERM` has no
//! fallback. Calls of another architecture end the process; nothing in it makes them.

use std::collections::BTreeMap;
use std::env::consts::ARCH;
use std::process;

use libc::c_long;
use seccompiler::{
    BackendError, BpfProgram, Error, SeccompAction, SeccompCmpArgLen, SeccompCmpOp,
    SeccompCondition, SeccompFilter, SeccompRule, apply_filter_all_threads,
};

use super::layer::Network;

use self::SeccompCmpArgLen::{Dword, Qword};
use self::SeccompCmpOp::{Eq, MaskedEq};

const MEMORY: &[c_long] = &[
    libc::SYS_brk,
    libc::SYS_madvise,
    libc::SYS_membarrier,
    // Memory for the image that instances start from, if it is not mapped from the compiled file.
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

/// Calls on open descriptors. The exception is `recvfrom`: the runtime uses a socket to notify
/// itself of signals.
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

/// Calls of a server that listens: none makes a socket or connects one.
const SERVING: &[c_long] =
    &[libc::SYS_accept4, libc::SYS_getpeername, libc::SYS_getsockname, libc::SYS_shutdown];

/// Calls with a path. Landlock restricts opening, creating and removing. The other calls only
/// reveal that a file exists.
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

/// Older variants of the calls above, which some libc may use.
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
    // renameat, which the libc crate does not define for this architecture.
    38,
];

/// The flags with which `clone` makes a new process or namespace instead of a thread.
const CLONE_OTHER: i32 = libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWUTS
    | libc::CLONE_PTRACE;

/// Requests of `ioctl`: scan the written pages of an instance, so that only those are cleared;
/// close on execution; do not block; and test for a terminal. The libc crate lacks the first. The
/// type of the others depends on the libc.
const PAGEMAP_SCAN: u64 = 0xc060_6610;
const FIOCLEX: u64 = 0x5451;
const FIONBIO: u64 = 0x5421;
const TCGETS: u64 = 0x5401;

/// Restricts all threads.
pub(super) fn restrict(network: Network) -> Result<(), Error> {
    let denied = SeccompAction::Errno(ENOSYS);
    let allowed = SeccompAction::Allow;
    let filter = SeccompFilter::new(rules(network)?, denied, allowed, ARCH.try_into()?)?;
    apply_filter_all_threads(&BpfProgram::try_from(filter)?)
}

const ENOSYS: u32 = libc::ENOSYS.unsigned_abs();

fn rules(network: Network) -> Result<BTreeMap<c_long, Vec<SeccompRule>>, BackendError> {
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
    // A thread may set its name.
    let name = argument(0, Dword, Eq, bits(libc::PR_SET_NAME))?;
    rules.insert(libc::SYS_prctl, vec![rule([name])?]);
    // The process may read its own limits.
    let own = [argument(0, Dword, Eq, 0)?, argument(2, Qword, Eq, 0)?];
    rules.insert(libc::SYS_prlimit64, vec![rule(own)?]);
    // Sending is allowed to a connected socket, never to an address.
    let connected = argument(4, Qword, Eq, 0)?;
    rules.insert(libc::SYS_sendto, vec![rule([connected])?]);
    // Aborting is a signal that the process sends to itself.
    let oneself = argument(0, Dword, Eq, u64::from(process::id()))?;
    rules.insert(libc::SYS_tgkill, vec![rule([oneself])?]);
    if network.receives {
        rules.insert(libc::SYS_recvmsg, Vec::new());
    }
    if network.accepts {
        rules.extend(SERVING.iter().map(|call| (*call, Vec::new())));
        // A connection sends what it has at once.
        let level = argument(1, Dword, Eq, bits(libc::IPPROTO_TCP))?;
        let option = argument(2, Dword, Eq, bits(libc::TCP_NODELAY))?;
        rules.insert(libc::SYS_setsockopt, vec![rule([level, option])?]);
    }
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

/// The flags as the kernel reads them.
fn bits(flags: i32) -> u64 {
    u64::from(flags.cast_unsigned())
}
