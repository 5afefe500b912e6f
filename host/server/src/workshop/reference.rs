//! The language reference: its text, and the forms parsed from its tables. Help on forms needs no
//! run.

use std::sync::LazyLock;

pub use pif_sandbox::REFERENCE as TEXT;

/// How programs differ from JavaScript, for models.
pub const DIFFERENCES: &str = "\
Programs are JavaScript, expressions or statements. These are the differences: integers are exact and of any size · sort() orders numbers by size · a missing member is a \
fault, unless a test, `?.` or `??` asks for it · == compares as ===, lists and records by what they hold · types mix only in \
templates, String, join and text + x · values never change for others who hold them · too few arguments give a function \
that waits for the rest · x / 0 is a fault · no clock, randomness, classes, `this`.";

/// How programs call other servers, where some are configured, for models.
pub const CALLING: &str = "\
Programs call tools of the connected servers, many at once, and give back only what you need: \
await Promise.all(files.map(f => filesystem.read_text_file({path: f})))";

/// A form as its table describes it.
#[derive(Debug)]
pub struct Form {
    /// Its name.
    pub name: String,
    /// The group that it belongs to.
    pub group: String,
    /// How it is written as JSON.
    pub syntax: String,
    /// The type of the function of its operands, or of its value.
    pub shape: String,
    /// What it does.
    pub doc: String,
    /// The example in the notation.
    pub notation: String,
    /// The value of the example.
    pub result: String,
    /// What more there is to know, in paragraphs.
    pub details: Vec<String>,
}

/// All forms, in the order of the tables.
#[must_use]
pub fn forms() -> &'static [Form] {
    static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| read(TEXT));
    &FORMS
}

/// Something of JavaScript, and its meaning.
#[derive(Debug)]
pub struct Spelling {
    /// Names and operators, with blanks between them.
    pub names: String,
    /// Words by which it is found.
    pub words: String,
    /// What it means.
    pub doc: String,
    /// An example.
    pub example: String,
    /// The value of the example.
    pub result: String,
}

/// What is found by its name in JavaScript, or by the words of a question.
#[must_use]
pub fn spellings() -> &'static [Spelling] {
    static ALL: LazyLock<Vec<Spelling>> = LazyLock::new(|| {
        let rows = include_str!("javascript.tsv").lines();
        rows.filter_map(|row| {
            let cells: Vec<String> = row.split('\t').map(str::to_owned).collect();
            let [names, words, doc, example, result] = cells.try_into().ok()?;
            Some(Spelling { names, words, doc, example, result })
        })
        .collect()
    });
    &ALL
}

/// Reads the tables, which `cargo x reference` has written.
fn read(text: &str) -> Vec<Form> {
    let tables = text.split_once("<!-- forms -->").map_or("", |(_, rest)| rest);
    let tables = tables.split_once("<!-- /forms -->").map_or("", |(tables, _)| tables);
    let (mut forms, mut group): (Vec<Form>, _) = (Vec::new(), String::new());
    // A line that begins with blanks continues the one before.
    for line in tables.replace("\n  ", " ").lines() {
        if let Some(title) = line.strip_prefix("### ") {
            group = title.to_lowercase();
        } else if let Some((names, details)) = read_details(line) {
            let is_meant = |form: &&mut Form| names.split(' ').any(|name| name == form.name);
            forms
                .iter_mut()
                .filter(is_meant)
                .for_each(|form| form.details.push(details.to_owned()));
        } else {
            forms.extend(read_row(line, &group));
        }
    }
    forms
}

/// Parses an item with details. Returns the names of its forms, and the text.
fn read_details(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("- **`")?.split_once("`** ")
}

/// Parses a row of six cells, all but the third in backticks. Other lines give None.
fn read_row(line: &str, group: &str) -> Option<Form> {
    let cells: Vec<&str> = line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ").collect();
    let [syntax, shape, doc, notation, _, result] = cells.try_into().ok()?;
    let name = syntax.strip_prefix("`{\"")?.split_once('"')?.0;
    // A bar within a cell is escaped.
    let cell = |text: &str| text.replace("\\|", "|");
    let code = |text: &str| cell(text.trim_matches('`').trim());
    Some(Form {
        name: name.to_owned(),
        group: group.to_owned(),
        syntax: code(&syntax.replace("` or `{", " or {")),
        shape: code(shape),
        doc: cell(doc),
        notation: code(notation),
        result: code(result),
        details: Vec::new(),
    })
}
