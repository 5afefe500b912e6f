//! The process seen from inside, with and without hardening. This test starts itself as a probe,
//! which tries what a program that broke out of the sandbox would try; the layers are tried one
//! by one, so that each refusal is known to come from the layer it is meant to come from.

#[cfg(target_os = "linux")]
mod hardening {
    pub(crate) mod attempt;
    pub(crate) mod judge;
    mod place;
    pub(crate) mod probe;
}

#[cfg(target_os = "linux")]
fn main() -> anyhow::Result<std::process::ExitCode> {
    use hardening::{judge, probe};
    match std::env::var(judge::MODE) {
        Ok(mode) => probe::main(&mode).map(|()| std::process::ExitCode::SUCCESS),
        Err(_) => Ok(judge::main()),
    }
}

#[cfg(not(target_os = "linux"))]
fn main() {
    use pif_system::harden::{Layer, Paths, apply};
    let ((), report) = apply(Some(&Paths::default()), || ());
    assert_eq!((report.landlock, report.seccomp), (Layer::Unsupported, Layer::Unsupported));
}
