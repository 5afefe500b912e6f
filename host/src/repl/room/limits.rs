//! The limits of the session and of its runs.

use pif_domain::Limit;
use pif_domain::quantity::{parse_count, parse_size};
use pif_sandbox::Limits;
use pif_server::workshop::RunResult;
use pif_store::session::is_recent;

use super::super::next::Next;
use super::{ReplSession, Terminal};

impl ReplSession {
    pub(in super::super) fn limits(&self) -> Next {
        let Limits { fuel, memory, depth, .. } = self.limits.get();
        let most = self.workshop.session_capacity();
        match self.open() {
            Ok((_, bindings)) => {
                let own = bindings.iter().filter(|it| !is_recent(&it.name));
                let (count, bytes) = own.fold((0, 0), |(n, bytes), it| (n + 1, bytes + it.bytes));
                self.say(&format!(
                    "session: {count} of {} bindings, {bytes} of {} bytes\nrun: {fuel} fuel, {memory} bytes of memory, depth {depth}, {:?}",
                    most.bindings, most.bytes, self.clocks[0]
                ))
            }
            Err(fault) => self.refuse(&fault),
        }
    }

    /// What a program costs. A number is the fuel that runs have from now on.
    pub(in super::super) fn fuel(&self, code: &str) -> Next {
        if let Ok(fuel) = parse_count(code) {
            return self.limit(Limit::Fuel, fuel);
        }
        let RunResult { outcome, elapsed, .. } = self.make(None, code, false, &mut Terminal);
        let usage = outcome.usage;
        let message = format!(
            "{} fuel, {} KiB at the peak, depth {}, {:.1} ms",
            usage.fuel,
            usage.peak_memory >> 10,
            usage.peak_depth,
            elapsed.as_secs_f64() * 1e3
        );
        self.say(&message);
        match outcome.ending {
            Ok(_) => Next::Done,
            Err(fault) => self.refuse(&fault),
        }
    }

    /// The memory of runs from now on.
    pub(in super::super) fn memory(&self, size: &str) -> Next {
        parse_size(size)
            .map_or_else(|advice| self.wrong(&advice), |it| self.limit(Limit::Memory, it))
    }

    /// The depth of runs from now on.
    pub(in super::super) fn depth(&self, depth: &str) -> Next {
        parse_count(depth)
            .map_or_else(|advice| self.wrong(&advice), |it| self.limit(Limit::Depth, it))
    }

    /// Gives runs another limit, up to its ceiling.
    fn limit(&self, limit: Limit, value: u64) -> Next {
        let limits = self.limits.get();
        let ceilings = self.ceilings;
        let most = match limit {
            Limit::Fuel => ceilings.fuel,
            Limit::Memory => ceilings.memory,
            _ => ceilings.depth.into(),
        };
        if value == 0 || value > most {
            let name = limit.name();
            return self.wrong(&format!(
                "write 1 to {most}: `mcp-pif repl --{name}-ceiling` lets runs have more"
            ));
        }
        self.limits.set(match limit {
            Limit::Fuel => Limits { fuel: value, ..limits },
            Limit::Memory => Limits { memory: value, ..limits },
            _ => Limits { depth: u32::try_from(value).unwrap_or(ceilings.depth), ..limits },
        });
        self.say(&self.paint().faint(&format!("{limit}: {value}")))
    }
}
