//! The components that the server embeds: what they ask for, which is nothing, and what they offer.

use anyhow::{Context, Result, bail};
use pif_sandbox::{ANALYST, COMPONENT};
use wasmparser::{Parser, Payload};
use wit_component::DecodedWasm;
use wit_parser::{Resolve, World, WorldId, WorldItem};

/// The interfaces in the world's exports.
fn interfaces(resolve: &Resolve, items: &World) -> Result<Vec<String>> {
    let items = items.exports.values().map(|item| match item {
        WorldItem::Interface { id, .. } => {
            let interface = resolve.interfaces.get(*id).context("an interface")?;
            let package = interface.package.and_then(|id| resolve.packages.get(id));
            let package = package.map(|package| &package.name).context("a package")?;
            Ok(package.interface_id(interface.name.as_deref().context("a name")?))
        }
        item => bail!("the component exports {item:?}"),
    });
    let mut names = items.collect::<Result<Vec<_>>>()?;
    names.sort();
    Ok(names)
}

fn decode(component: &[u8]) -> Result<(Resolve, WorldId)> {
    match wit_component::decode(component)? {
        DecodedWasm::Component(resolve, world) => Ok((resolve, world)),
        DecodedWasm::WitPackage(..) => bail!("this is a package of interfaces, not a component"),
    }
}

#[test]
fn the_components_import_nothing() -> Result<()> {
    for component in [COMPONENT, ANALYST] {
        let (resolve, id) = decode(component)?;
        let world = resolve.worlds.get(id).context("a world")?;
        assert!(world.imports.is_empty(), "{:?}", world.imports);
    }
    Ok(())
}

#[test]
fn the_components_export_the_contract() -> Result<()> {
    for (component, expected) in [
        (COMPONENT, &["analysis", "machines", "types"][..]),
        (ANALYST, &["questions", "reductions", "types"]),
    ] {
        let (resolve, id) = decode(component)?;
        let world = resolve.worlds.get(id).context("a world")?;
        let name = |name: &&str| format!("pif:evaluator/{name}@0.1.0");
        let expected: Vec<String> = expected.iter().map(name).collect();
        assert_eq!(interfaces(&resolve, world)?, expected);
    }
    Ok(())
}

/// The evaluator's core module imports handles of the resource that it exports itself; they are
/// made within the component. The encoder's own small modules import each other's functions and
/// table, from a module without a name.
#[test]
fn the_core_modules_import_only_what_the_component_makes() -> Result<()> {
    assert!(handles(COMPONENT)? > 0, "the evaluator's module was not seen");
    assert_eq!(handles(ANALYST)?, 0);
    Ok(())
}

/// The handles that a component's modules import. Fails if they import anything else from outside.
fn handles(component: &[u8]) -> Result<usize> {
    let (mut handles, mut level) = (0, 0_usize);
    for payload in Parser::new(0).parse_all(component) {
        let imports = match payload? {
            // Components within it, which wrap what it exports, are given what they import by it.
            Payload::ComponentImportSection(_) if level == 0 => bail!("the component has imports"),
            Payload::ImportSection(imports) => imports,
            payload => {
                level = match payload {
                    Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => level + 1,
                    Payload::End(_) => level.saturating_sub(1),
                    _ => level,
                };
                continue;
            }
        };
        for import in imports.into_imports() {
            let import = import?;
            let is_handle = import.module == "[export]pif:evaluator/machines@0.1.0"
                && import.name.starts_with("[resource-");
            handles += usize::from(is_handle);
            assert!(is_handle || import.module.is_empty(), "{import:?}");
        }
    }
    Ok(handles)
}

/// Their memory has an upper bound in any host.
#[test]
fn the_memory_of_the_components_is_bounded() -> Result<()> {
    for component in [COMPONENT, ANALYST] {
        let mut bounds = Vec::new();
        for payload in Parser::new(0).parse_all(component) {
            if let Payload::MemorySection(memories) = payload? {
                for memory in memories {
                    bounds.push(memory?.maximum.map(|pages| pages << 16));
                }
            }
        }
        assert_eq!(bounds, [Some(1_280 << 20)]);
    }
    Ok(())
}
