//! The language reference: its text, and the forms parsed from its tables. Help on forms needs no
//! run.

use std::sync::LazyLock;

/// The whole text.
pub(super) const TEXT: &str = include_str!(concat!(env!("OUT_DIR"), "/LANGUAGE.md"));

/// A form as its table describes it.
#[derive(Debug)]
pub(super) struct Form {
    pub(super) name: String,
    pub(super) group: String,
    pub(super) syntax: String,
    pub(super) doc: String,
    pub(super) example: String,
    pub(super) result: String,
}

/// All forms, in the order of the tables.
pub(super) fn forms() -> &'static [Form] {
    static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| read(TEXT));
    &FORMS
}

/// Reads the tables, which `cargo x reference` has written.
fn read(text: &str) -> Vec<Form> {
    let tables = text.split_once("<!-- forms -->").map_or("", |(_, rest)| rest);
    let tables = tables.split_once("<!-- /forms -->").map_or("", |(tables, _)| tables);
    let (mut forms, mut group) = (Vec::new(), String::new());
    for line in tables.lines() {
        match line.strip_prefix("### ") {
            Some(title) => group = title.to_lowercase(),
            None => forms.extend(read_row(line, &group)),
        }
    }
    forms
}

/// Parses a row of four cells, all but the second in backticks. Other lines give None.
fn read_row(line: &str, group: &str) -> Option<Form> {
    let row = line.strip_prefix("| `")?.strip_suffix("` |")?;
    // A bar within a cell is escaped.
    let (syntax, rest) = row.split_once("` | ")?;
    let (doc, rest) = rest.split_once(" | `")?;
    let (example, result) = rest.split_once("` | `")?;
    let name = syntax.strip_prefix("{\"")?.split_once('"')?.0;
    let cell = |text: &str| text.replace("\\|", "|");
    Some(Form {
        name: name.to_owned(),
        group: group.to_owned(),
        syntax: cell(&syntax.replace("` or `{", " or {")),
        doc: cell(doc),
        example: cell(example),
        result: cell(result),
    })
}
