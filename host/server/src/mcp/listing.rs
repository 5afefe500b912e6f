//! The tools of tools/list: the built-in ones, then the latest evolved ones by name.

use std::sync::{Arc, Mutex, PoisonError};

use pif_domain::{BuiltIn, Limit, Offer};
use pif_sandbox::Watch;
use pif_store::registry::name;
use rmcp::model::{ErrorData, ListToolsResult, Tool};

use super::catalog;
use super::resource::{CURSOR, failed, unknown_cursor};
use super::tool::evolved;
use crate::config::Config;
use crate::workshop::Workshop;

/// The tools on a page of tools/list. Some clients read the first page only.
const PAGE: usize = 100;

/// The current list, shared by all connections. It is built once after each change, and all replies
/// share its schemas.
#[derive(Debug, Default)]
pub(super) struct Listing(Mutex<Latest>);

#[derive(Debug, Default)]
struct Latest {
    /// The number of the last change in the list.
    as_of: Option<i64>,
    /// What other servers offered then: the hints of tools that call them depend on it.
    offers: Arc<[Offer]>,
    tools: Arc<[Tool]>,
}

impl Listing {
    /// The current list.
    pub(super) fn tools(
        &self,
        workshop: &Workshop,
        config: &Config,
    ) -> Result<Arc<[Tool]>, ErrorData> {
        let listed = config.values.size(Limit::Listed);
        let profile = config.profile;
        let snapshot = workshop.registry.snapshot().map_err(failed)?;
        let mut latest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let offers = workshop.effects().offers();
        if latest.as_of != Some(snapshot.as_of()) || latest.offers != offers {
            let changed = match snapshot.latest(listed) {
                Err(error) if error.is_absence() => None,
                changed => Some(changed.map_err(failed)?),
            };
            // Nothing is known of a database that was never there.
            let is_known = changed.is_some();
            let changed = changed.unwrap_or_default();
            // Longer names predate the limit. A client would refuse the whole list because of one.
            // A name that was reserved later is that of a built-in tool.
            let is_listed =
                |name: &str| name.len() <= name::LONGEST_NEW && !name::is_reserved(name);
            let evolved = changed.iter().filter(|tool| is_listed(&tool.name));
            let watch = Watch::new(config.values.time(Limit::WallClock));
            let evolved = evolved.map(|tool| {
                let reach = evolved::reach(workshop, tool, &watch);
                let typing = workshop.type_of_tool(tool, &watch);
                let takes = workshop.takes(tool, &watch);
                evolved::describe(tool, &takes, typing.as_deref(), reach, profile)
            });
            let is_open = workshop.effects().is_open();
            let approves = workshop.may_model_approve();
            let installs = workshop.may_install();
            let is_allowed = |tool: &BuiltIn| match tool {
                BuiltIn::Approve => approves,
                BuiltIn::InstallCapability | BuiltIn::UninstallCapability => installs,
                _ => true,
            };
            let built_in = catalog::offered(&config.toolsets).filter(is_allowed);
            let built_in =
                built_in.map(|tool| catalog::describe(tool, is_open, &config.toolsets, profile));
            latest.tools = built_in.chain(evolved).collect();
            // What functions take is known once the sandbox is open.
            let is_whole = is_known && workshop.sandbox.is_open();
            let as_of = is_whole.then(|| snapshot.as_of());
            (latest.as_of, latest.offers) = (as_of, offers);
        }
        Ok(Arc::clone(&latest.tools))
    }
}

/// The page of a list that follows a cursor.
pub(super) fn page(listed: &[Tool], cursor: Option<String>) -> Result<ListToolsResult, ErrorData> {
    let cursor = cursor.filter(|cursor| !cursor.is_empty());
    let start = cursor.map_or(Ok(0), |cursor| start_after(listed, &cursor))?;
    let rest = listed.get(start..).unwrap_or_default();
    let page = rest.get(..PAGE).unwrap_or(rest);
    let last = page.last().filter(|_| rest.len() > PAGE);
    let mut result = ListToolsResult::with_all_items(page.to_vec());
    result.next_cursor = last.map(|tool| format!("{CURSOR}{}", tool.name));
    Ok(result)
}

/// The index at which the page after a cursor starts. If the cursor's tool is gone, the listing
/// ends, so no page repeats.
fn start_after(listed: &[Tool], cursor: &str) -> Result<usize, ErrorData> {
    let name = cursor.strip_prefix(CURSOR).ok_or_else(unknown_cursor)?;
    let found = listed.iter().position(|tool| tool.name == name);
    Ok(found.map_or(listed.len(), |index| index + 1))
}
