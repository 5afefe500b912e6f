//! What the MCP registry takes as `server.json`: the schema of 2025-12-11 and the rules that its
//! documentation adds, for the kinds of packages that we have.

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Map, Value};

/// The schema that these rules are of.
pub const SCHEMA: &str =
    "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

/// Refuses an entry that the registry would refuse, with the reason.
pub fn check(entry: &Value) -> Result<()> {
    let entry = entry.as_object().context("an entry is an object")?;
    ensure_known(
        entry,
        &[
            "$schema",
            "name",
            "title",
            "description",
            "version",
            "websiteUrl",
            "repository",
            "packages",
        ],
    )?;
    ensure!(text(entry, "$schema")? == SCHEMA, "another schema");
    check_name(text(entry, "name")?)?;
    ensure_length("description", text(entry, "description")?, 100)?;
    if entry.contains_key("title") {
        ensure_length("title", text(entry, "title")?, 100)?;
    }
    check_version(text(entry, "version")?)?;
    if entry.contains_key("websiteUrl") {
        ensure!(text(entry, "websiteUrl")?.starts_with("https://"), "websiteUrl is no URL");
    }
    check_repository(entry.get("repository").and_then(Value::as_object).context("repository")?)?;
    let packages = entry.get("packages").and_then(Value::as_array).context("packages")?;
    ensure!(!packages.is_empty(), "an entry without packages installs nothing");
    for package in packages {
        check_package(package.as_object().context("a package is an object")?)?;
    }
    Ok(())
}

fn text<'a>(object: &'a Map<String, Value>, name: &str) -> Result<&'a str> {
    object.get(name).and_then(Value::as_str).with_context(|| format!("`{name}` is no text"))
}

/// The schema lets anything else pass and the registry forgets it: most likely it is misspelled.
fn ensure_known(object: &Map<String, Value>, names: &[&str]) -> Result<()> {
    for name in object.keys() {
        ensure!(names.contains(&name.as_str()), "there is no member `{name}`");
    }
    Ok(())
}

fn ensure_length(name: &str, text: &str, most: usize) -> Result<()> {
    let length = text.chars().count();
    ensure!((1..=most).contains(&length), "{name} has {length} characters; {most} is the most");
    Ok(())
}

/// A namespace in reverse DNS notation, a slash, and the name.
fn check_name(name: &str) -> Result<()> {
    ensure!((3..=200).contains(&name.len()), "the name is too short or too long");
    let (namespace, rest) = name.split_once('/').context("a name has a namespace and a slash")?;
    let is_of = |text: &str, more: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || more.contains(c))
    };
    ensure!(is_of(namespace, ".-") && is_of(rest, "._-"), "`{name}` is no name");
    ensure!(namespace.contains('.'), "`{namespace}` is no domain");
    Ok(())
}

/// One version, and neither a range nor `latest`.
fn check_version(version: &str) -> Result<()> {
    let parts: Vec<&str> = version.split('.').collect();
    let is_exact = parts.len() == 3 && parts.iter().all(|part| part.parse::<u32>().is_ok());
    ensure!(is_exact, "`{version}` is no version of three numbers");
    Ok(())
}

fn check_repository(repository: &Map<String, Value>) -> Result<()> {
    ensure_known(repository, &["url", "source", "id", "subfolder"])?;
    ensure!(text(repository, "url")?.starts_with("https://"), "the repository is no URL");
    ensure!(text(repository, "source")? == "github", "another host of repositories");
    if repository.contains_key("subfolder") {
        let folder = text(repository, "subfolder")?;
        ensure!(!folder.starts_with('/') && !folder.contains(".."), "`{folder}` is not below it");
    }
    Ok(())
}

fn check_package(package: &Map<String, Value>) -> Result<()> {
    ensure_known(
        package,
        &[
            "registryType",
            "identifier",
            "fileSha256",
            "runtimeHint",
            "runtimeArguments",
            "packageArguments",
            "environmentVariables",
            "transport",
        ],
    )?;
    let identifier = text(package, "identifier")?;
    match text(package, "registryType")? {
        "oci" => {
            let (image, tag) = identifier.rsplit_once(':').context("an image without a tag")?;
            ensure!(image.starts_with("ghcr.io/"), "the registry takes no images of `{image}`");
            check_version(tag)?;
        }
        "mcpb" => {
            let is_release = identifier.starts_with("https://github.com/")
                && identifier.contains("/releases/download/")
                && identifier.contains("mcp");
            ensure!(is_release, "`{identifier}` is no release with `mcp` in its URL");
            let hash = text(package, "fileSha256")?;
            let is_hash = hash.len() == 64
                && hash.chars().all(|c| c.is_ascii_digit() || ('a'..='f').contains(&c));
            ensure!(is_hash, "`{hash}` is no sha256");
        }
        other => bail!("no rules are known for packages of `{other}`"),
    }
    let transport = package.get("transport").context("a package without transport")?;
    ensure!(transport["type"] == "stdio", "the server speaks on its pipes only");
    for member in ["runtimeArguments", "packageArguments"] {
        for argument in list(package, member)? {
            check_argument(argument).context(member.to_owned())?;
        }
    }
    ensure!(
        !package.contains_key("runtimeArguments") || package.contains_key("runtimeHint"),
        "arguments for what runtime?"
    );
    for variable in list(package, "environmentVariables")? {
        text(variable, "name")?;
        check_input(variable)?;
    }
    Ok(())
}

fn list<'a>(
    package: &'a Map<String, Value>,
    member: &str,
) -> Result<impl Iterator<Item = &'a Map<String, Value>>> {
    let items = match package.get(member) {
        None => &[][..],
        Some(items) => items.as_array().with_context(|| format!("`{member}` is no list"))?,
    };
    let objects: Option<Vec<_>> = items.iter().map(Value::as_object).collect();
    Ok(objects.with_context(|| format!("`{member}` holds something else"))?.into_iter())
}

fn check_argument(argument: &Map<String, Value>) -> Result<()> {
    match text(argument, "type")? {
        "named" => ensure!(text(argument, "name")?.starts_with('-'), "a flag without dashes"),
        "positional" => ensure!(
            argument.contains_key("value") || argument.contains_key("valueHint"),
            "a positional argument has a value or a hint"
        ),
        other => bail!("`{other}` is no kind of argument"),
    }
    check_input(argument)
}

/// Every variable in braces has a description, and what there is has its type.
fn check_input(input: &Map<String, Value>) -> Result<()> {
    ensure_known(
        input,
        &["type", "name", "description", "value", "default", "format", "variables", "valueHint"],
    )?;
    for (name, value) in input {
        ensure!(name == "variables" || value.is_string(), "`{name}` is no text");
    }
    if let Some(format) = input.get("format") {
        let formats = ["string", "number", "boolean", "filepath"];
        ensure!(formats.iter().any(|known| format == known), "{format} is no format");
    }
    let value = input.get("value").and_then(Value::as_str).unwrap_or_default();
    for part in value.split('{').skip(1) {
        let (name, _) = part.split_once('}').context("a brace is not closed")?;
        let variable = input.get("variables").and_then(|variables| variables.get(name));
        ensure!(variable.is_some_and(Value::is_object), "nothing is said of `{{{name}}}`");
    }
    Ok(())
}
