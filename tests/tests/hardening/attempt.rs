//! What a program that broke out would try, and which layer refuses it.

use super::place::Place;
use pif_tests::system::call;
use std::fs::{self, File, OpenOptions};
use std::io::{Error, ErrorKind, Result, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::os::unix::process::parent_id;
use std::process::Command;

/// Something that succeeds in a process that is not hardened.
pub(crate) struct Attempt {
    pub(crate) name: &'static str,
    pub(crate) run: fn(&Place) -> Result<()>,
    /// The version of Landlock that refuses it, and the error number.
    pub(crate) landlock: Option<(u64, i32)>,
    /// Whether seccomp refuses it.
    pub(crate) seccomp: bool,
}

impl Attempt {
    const fn new(name: &'static str, run: fn(&Place) -> Result<()>) -> Self {
        Self { name, run, landlock: None, seccomp: false }
    }

    const fn landlock(self, since: u64, error: i32) -> Self {
        Self { landlock: Some((since, error)), ..self }
    }

    const fn seccomp(self) -> Self {
        Self { seccomp: true, ..self }
    }
}

pub(crate) const ATTEMPTS: &[Attempt] = &[
    Attempt::new("compute on other threads", |_| Ok(())),
    Attempt::new("keep files in the data directory", keep_files),
    Attempt::new("read /etc/passwd", |_| fs::read("/etc/passwd").map(drop))
        .landlock(1, libc::EACCES),
    Attempt::new("read /proc/self/maps", |_| fs::read("/proc/self/maps").map(drop))
        .landlock(1, libc::EACCES),
    Attempt::new("list /", |_| fs::read_dir("/").map(drop)).landlock(1, libc::EACCES),
    Attempt::new("write outside", |place| fs::write(place.outside.join("file"), "x"))
        .landlock(1, libc::EACCES),
    Attempt::new("remove outside", remove).landlock(1, libc::EACCES),
    Attempt::new("link out of the data directory", link_out).landlock(1, libc::EACCES).seccomp(),
    Attempt::new("change a mode", change_mode).seccomp(),
    Attempt::new("run /bin/true", |_| run("/bin/true")).landlock(1, libc::EACCES).seccomp(),
    Attempt::new("run a program in the data directory", |place| run(&place.program()))
        .landlock(1, libc::EACCES)
        .seccomp(),
    Attempt::new("fork", fork).seccomp(),
    Attempt::new("listen on TCP", |_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map(drop))
        .landlock(4, libc::EACCES)
        .seccomp(),
    Attempt::new("connect to TCP", |place| {
        TcpStream::connect((Ipv4Addr::LOCALHOST, place.port)).map(drop)
    })
    .landlock(4, libc::EACCES)
    .seccomp(),
    Attempt::new("open a UDP socket", |_| UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).map(drop))
        .seccomp(),
    Attempt::new("make a pair of sockets", |_| UnixStream::pair().map(drop)).seccomp(),
    Attempt::new("listen on a socket in the data directory", listen)
        .landlock(1, libc::EACCES)
        .seccomp(),
    Attempt::new("connect to an abstract socket", |place| {
        UnixStream::connect_addr(&SocketAddr::from_abstract_name(&place.socket)?).map(drop)
    })
    .landlock(6, libc::EPERM)
    .seccomp(),
    Attempt::new("signal another process", |_| {
        ask(libc::SYS_kill, [u64::from(parent_id()), 0, 0, 0, 0, 0]).map(drop)
    })
    .landlock(6, libc::EPERM)
    .seccomp(),
    Attempt::new("map executable memory", |_| map(libc::PROT_READ | libc::PROT_EXEC).map(drop))
        .seccomp(),
    Attempt::new("make memory executable", make_executable).seccomp(),
];

/// What the server does there, or will: nothing refuses this.
fn keep_files(place: &Place) -> Result<()> {
    let (folder, file) = (place.data.join("folder"), place.data.join("folder/file"));
    fs::create_dir(&folder)?;
    let mut written = File::create_new(&file)?;
    written.lock()?;
    written.write_all(b"text")?;
    written.sync_all()?;
    drop(written);
    OpenOptions::new().write(true).truncate(true).open(&file)?;
    fs::metadata(&file)?;
    let moved = folder.join("moved");
    fs::rename(&file, &moved)?;
    fs::read(&moved)?;
    assert_eq!(fs::read_dir(&folder)?.count(), 1);
    fs::remove_file(&moved)?;
    fs::remove_dir(&folder)
}

/// Removes the next of the files there. That they exist is no secret.
fn remove(place: &Place) -> Result<()> {
    let kept = place.kept().into_iter().find(|path| path.exists());
    fs::remove_file(kept.ok_or(ErrorKind::NotFound)?)
}

fn link_out(place: &Place) -> Result<()> {
    let link = place.data.join("link");
    symlink("/etc", &link)?;
    fs::remove_file(link)
}

fn change_mode(place: &Place) -> Result<()> {
    fs::set_permissions(&place.data, fs::Permissions::from_mode(0o700))
}

fn listen(place: &Place) -> Result<()> {
    let path = place.data.join("socket");
    drop(UnixListener::bind(&path)?);
    fs::remove_file(path)
}

fn run(program: &str) -> Result<()> {
    let status = Command::new(program).status()?;
    if status.success() { Ok(()) } else { Err(Error::other(status.to_string())) }
}

fn fork(_: &Place) -> Result<()> {
    let signal = u64::from(libc::SIGCHLD.cast_unsigned());
    let child = ask(libc::SYS_clone, [signal, 0, 0, 0, 0, 0])?;
    if child == 0 {
        ask(libc::SYS_exit_group, [0; 6])?;
    }
    ask(libc::SYS_wait4, [child, 0, 0, 0, 0, 0]).map(drop)
}

fn map(protection: i32) -> Result<u64> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    let [protection, flags] = [protection, flags].map(|bits| u64::from(bits.cast_unsigned()));
    ask(libc::SYS_mmap, [0, PAGE, protection, flags, u64::MAX, 0])
}

fn make_executable(_: &Place) -> Result<()> {
    let memory = map(libc::PROT_READ | libc::PROT_WRITE)?;
    let protection = libc::PROT_READ | libc::PROT_EXEC;
    let arguments = [memory, PAGE, u64::from(protection.cast_unsigned()), 0, 0, 0];
    ask(libc::SYS_mprotect, arguments).map(drop)
}

/// A page, or a multiple of one.
const PAGE: u64 = 1 << 16;

fn ask(number: libc::c_long, arguments: [u64; 6]) -> Result<u64> {
    call(number, arguments).map_err(Error::from_raw_os_error)
}

/// Calls that would fail anyway, for their arguments or for want of leave. The kernel says how
/// where it is reached, and `ENOSYS` where it is not. None of these does anything when all its
/// arguments are -1.
pub(crate) const FORBIDDEN: &[(&str, libc::c_long)] = &[
    ("accept4", libc::SYS_accept4),
    ("add_key", libc::SYS_add_key),
    ("bind", libc::SYS_bind),
    ("bpf", libc::SYS_bpf),
    ("chroot", libc::SYS_chroot),
    ("clock_settime", libc::SYS_clock_settime),
    ("clone3", libc::SYS_clone3),
    ("connect", libc::SYS_connect),
    ("execve", libc::SYS_execve),
    ("execveat", libc::SYS_execveat),
    ("fchmodat", libc::SYS_fchmodat),
    ("fchownat", libc::SYS_fchownat),
    ("finit_module", libc::SYS_finit_module),
    ("io_uring_enter", libc::SYS_io_uring_enter),
    ("io_uring_setup", libc::SYS_io_uring_setup),
    ("kexec_load", libc::SYS_kexec_load),
    ("keyctl", libc::SYS_keyctl),
    ("landlock_create_ruleset", libc::SYS_landlock_create_ruleset),
    ("linkat", libc::SYS_linkat),
    ("listen", libc::SYS_listen),
    ("mknodat", libc::SYS_mknodat),
    ("mount", libc::SYS_mount),
    ("move_mount", libc::SYS_move_mount),
    ("open_by_handle_at", libc::SYS_open_by_handle_at),
    ("openat2", libc::SYS_openat2),
    ("perf_event_open", libc::SYS_perf_event_open),
    ("pidfd_getfd", libc::SYS_pidfd_getfd),
    ("pidfd_open", libc::SYS_pidfd_open),
    ("pivot_root", libc::SYS_pivot_root),
    ("pkey_mprotect", libc::SYS_pkey_mprotect),
    ("prctl", libc::SYS_prctl),
    ("process_vm_readv", libc::SYS_process_vm_readv),
    ("process_vm_writev", libc::SYS_process_vm_writev),
    ("ptrace", libc::SYS_ptrace),
    ("recvmsg", libc::SYS_recvmsg),
    ("rt_sigqueueinfo", libc::SYS_rt_sigqueueinfo),
    ("seccomp", libc::SYS_seccomp),
    ("sendmsg", libc::SYS_sendmsg),
    ("sendto", libc::SYS_sendto),
    ("setns", libc::SYS_setns),
    ("setuid", libc::SYS_setuid),
    ("shmat", libc::SYS_shmat),
    ("tgkill", libc::SYS_tgkill),
    ("tkill", libc::SYS_tkill),
    ("umount2", libc::SYS_umount2),
    ("unshare", libc::SYS_unshare),
    ("userfaultfd", libc::SYS_userfaultfd),
];
