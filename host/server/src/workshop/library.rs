//! The standard library: tools whose names begin with `std_`, written in the calculus. They are
//! part of the program, in files that have the format of `mcp-pif export`. No store holds them. The
//! registry is searched first, so an older tool with such a name stays usable.

use std::sync::LazyLock;

use pif_domain::json::compact_value;
use pif_domain::text::similar::similar;
use pif_domain::{Fault, FaultCode, fault, named};
use pif_store::registry::{self, Definition, Evolution, name};

use super::bundle::{self, BundledTool};
use super::property::kept;

/// The prefix of the library's names.
pub const PREFIX: &str = "std_";

/// The files, one per topic. When a tool changes, its released revisions stay in the file as
/// `pinned`, because journals and terms refer to them by hash.
const FILES: [&str; 8] = [
    include_str!("../../library/dates.json"),
    include_str!("../../library/functions.json"),
    include_str!("../../library/numbers.json"),
    include_str!("../../library/self.json"),
    include_str!("../../library/statistics.json"),
    include_str!("../../library/tables.json"),
    include_str!("../../library/text.json"),
    include_str!("../../library/trees.json"),
];

/// The library, parsed at first use.
static LIBRARY: LazyLock<Library> = LazyLock::new(|| Library::read(&FILES));

/// The tools of the library.
#[derive(Debug, Default)]
pub struct Library {
    /// Sorted by name. The current revision of a name comes last.
    tools: Vec<ToolRevision>,
}

/// A tool at one of its revisions.
#[derive(Debug)]
struct ToolRevision {
    tool: Definition,
    /// Whether the tool is found only by its revision.
    is_pinned: bool,
}

/// The library of this program.
#[must_use]
pub fn library() -> &'static Library {
    &LIBRARY
}

impl Library {
    fn read(files: &[&str]) -> Self {
        let mut tools = Vec::new();
        for file in files {
            match bundle::read(file) {
                Ok(file) => tools.extend(file.tools.into_iter().map(ToolRevision::new)),
                Err(fault) => tracing::error!(%fault.message, "a library cannot be read"),
            }
        }
        tools.sort_by(|a, b| (&a.tool.name, !a.is_pinned).cmp(&(&b.tool.name, !b.is_pinned)));
        Self { tools }
    }

    /// The current tools, by name.
    pub fn tools(&self) -> impl Iterator<Item = &Definition> {
        self.tools.iter().filter(|kept| !kept.is_pinned).map(|kept| &kept.tool)
    }

    /// Finds a tool by its name or by `name@hash`.
    #[must_use]
    pub fn find(&self, reference: &str) -> Option<&Definition> {
        let (name, pin) = name::split(reference);
        let is_meant = |kept: &&ToolRevision| {
            kept.tool.name == name
                && match pin {
                    None => !kept.is_pinned,
                    Some(prefix) => registry::is_prefix(prefix, &kept.tool.hash),
                }
        };
        let mut found = self.tools.iter().filter(is_meant).map(|kept| &kept.tool);
        let tool = found.next()?;
        // A prefix that fits several revisions finds none.
        found.all(|other| other.hash == tool.hash).then_some(tool)
    }

    /// The source of the term with this hash.
    #[must_use]
    pub fn source(&self, hash: &str) -> Option<&str> {
        let found = self.tools.iter().find(|kept| kept.tool.hash == hash)?;
        Some(&found.tool.source)
    }

    /// The names with this prefix, in order.
    #[must_use]
    pub fn names(&self, prefix: &str) -> Vec<&str> {
        self.tools().map(|tool| tool.name.as_str()).filter(|it| it.starts_with(prefix)).collect()
    }

    /// All revisions of a name, the current one first.
    #[must_use]
    pub fn revisions(&self, name: &str) -> Vec<&Definition> {
        let of_name = self.tools.iter().filter(|kept| kept.tool.name == name);
        of_name.rev().map(|kept| &kept.tool).collect()
    }

    /// The names of the tools whose terms name this one, in order.
    #[must_use]
    pub fn callers(&self, name: &str) -> Vec<&str> {
        // A text search is enough: no string in the library's terms has this form.
        let call = format!("{{\"tool\":\"{name}\"}}");
        let callers = self.tools().filter(|tool| tool.source.contains(&call));
        callers.map(|tool| tool.name.as_str()).filter(|caller| *caller != name).collect()
    }

    /// The library's name that is closest to an unknown one, with or without the prefix.
    #[must_use]
    pub fn similar(&self, name: &str) -> Option<&str> {
        let whole = similar(name, self.names(PREFIX));
        whole.or_else(|| {
            let own = self.names(PREFIX).into_iter();
            let bare = own.filter_map(|it| it.strip_prefix(PREFIX));
            let meant = similar(name, bare)?;
            self.names(PREFIX).into_iter().find(|it| it.strip_prefix(PREFIX) == Some(meant))
        })
    }

    /// Whether the library has this tool with equal content, or this revision if `is_pinned` is
    /// set.
    pub(super) fn holds(&self, evolution: &Evolution, is_pinned: bool) -> bool {
        let Evolution { name, hash, .. } = evolution;
        if is_pinned {
            return self.find(&format!("{name}@{hash}")).is_some();
        }
        self.find(name).is_some_and(|tool| evolution.is(tool))
    }
}

impl ToolRevision {
    fn new(packed: BundledTool) -> Self {
        let is_pinned = packed.pinned;
        let examples = packed.examples();
        let source = compact_value(packed.source);
        let properties = kept(&packed.properties);
        let BundledTool { name, sha256: hash, description, .. } = packed;
        let source = source.get().to_owned();
        Self {
            tool: Definition {
                name,
                hash,
                source,
                description,
                examples,
                output_schema: None,
                members: None,
                properties,
                change: 0,
            },
            is_pinned,
        }
    }
}

/// Refuses names that begin with the library's prefix, in any case and with `-` or `_`.
pub(super) fn ensure_outside(name: &str) -> Result<(), Fault> {
    if !name.to_ascii_lowercase().replace('-', "_").starts_with(PREFIX) {
        return Ok(());
    }
    let message = format!(
        "names that begin with `{PREFIX}` are those of the standard library, which {} does not change",
        named("`evolve`")
    );
    let hint = format!(
        "choose a name without `{PREFIX}`; to change a copy, take the source that \
         inspect {{\"tool\": \"{PREFIX}…\"}} shows"
    );
    Err(fault(FaultCode::Malformed, message, Some(&hint)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(revisions: &[(&str, bool)]) -> String {
        let tools = revisions.iter().map(|(hash, pinned)| {
            format!(
                r#"{{"name":"std_x","sha256":"{hash}","description":"d","pinned":{pinned},"source":[1,  2],"examples":[]}}"#
            )
        });
        let tools: Vec<String> = tools.collect();
        format!(r#"{{"format":"mcp-pif export","version":1,"tools":[{}]}}"#, tools.join(","))
    }

    #[test]
    fn earlier_revisions_are_found_by_hash_alone() {
        let early = "ab".repeat(32);
        let late = "ac".repeat(32);
        let library = Library::read(&[&file(&[(&early, true), (&late, false)])]);
        let hash = |reference: &str| library.find(reference).map(|tool| tool.hash.clone());
        assert_eq!(hash("std_x"), Some(late.clone()));
        assert_eq!(hash(&format!("std_x@{}", &early[..8])), Some(early.clone()));
        assert_eq!(hash("std_x@"), None);
        assert_eq!(hash(&format!("std_y@{early}")), None);
        assert_eq!(library.source(&early), Some("[1,2]"));
        assert_eq!(library.tools().count(), 1);
        assert_eq!(library.revisions("std_x")[0].hash, late);
    }

    #[test]
    fn all_files_can_be_read() {
        for file in FILES {
            assert!(bundle::read(file).is_ok_and(|file| !file.tools.is_empty()));
        }
        let names = library().names("");
        assert!(names.iter().all(|name| ensure_outside(name).is_err()), "{names:?}");
    }

    #[test]
    fn names_are_kept() {
        for name in ["std_x", "STD_gcd", "std-gcd"] {
            assert!(ensure_outside(name).is_err(), "{name}");
        }
        for name in ["std", "stdev", "my_std_x", "standard"] {
            assert!(ensure_outside(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn a_name_is_meant_with_and_without_prefix() {
        assert_eq!(library().similar("std_gdc"), Some("std_gcd"));
        assert_eq!(library().similar("moving-average"), Some("std_moving_average"));
        assert_eq!(library().similar("quadruple"), None);
    }
}
