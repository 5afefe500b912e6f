//! Native capabilities as models find them: beside the tools of other servers.

use pif_domain::{EffectClass, Fault, Grant, Offer, Pin};
use pif_sandbox::Watch;
use pif_store::registry::{Definition, short};

use super::native::Native;
use super::opening::Workshop;

/// The most native capabilities that are told.
const MOST: usize = 100;

impl Workshop {
    /// The functions of all native capabilities.
    pub fn native_offers(&self, watch: &Watch) -> Result<Vec<Offer>, Fault> {
        let mut offers = Vec::new();
        for tool in self.natives(MOST)? {
            let class = self.class_of(&tool, watch)?;
            let native = Native::new(&tool.name, &tool.hash, tool.members.as_deref());
            let members = native.map(|native| native.members).unwrap_or_default();
            offers.extend(members.iter().map(|member| offer(&tool, member, class)));
        }
        Ok(offers)
    }

    /// What a native capability does to the world: what the tools of servers do that it needs.
    fn class_of(&self, tool: &Definition, watch: &Watch) -> Result<EffectClass, Fault> {
        let reach = self.reach_of(tool, watch)?;
        let offers = self.effects().offers();
        let reads = |name: &String| {
            offers.iter().any(|offer| offer.name == *name && offer.class == EffectClass::Read)
        };
        let only_reads = !reach.computed && reach.needs.iter().all(reads);
        Ok(if only_reads { EffectClass::Read } else { EffectClass::Destructive })
    }
}

fn offer(tool: &Definition, member: &str, class: EffectClass) -> Offer {
    let name = format!("{}.{member}", tool.name);
    Offer {
        title: format!("native capability, revision {}", short(&tool.hash)),
        description: tool.description.clone(),
        input_schema: r#"{"type":"object"}"#.to_owned(),
        output_schema: None,
        class,
        grant: Grant::Allow,
        pin: Pin::Approved,
        signature: format!("{name}({{…}})"),
        name,
    }
}
