//! `help`: the reference of the forms, from its tables, and of the built-in tools.

use std::fmt::Write as _;
use std::sync::Arc;

use pif_domain::text::similar::similar;
use pif_domain::{Toolset, listed, named};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::arguments::malformed;
use super::super::backend::Backend;
use super::super::catalog::{offered, text};
use super::{Call, Tool, ToolResult};
use crate::render::{Refusal, Reply};
use crate::workshop::{
    Form, LIBRARY_PREFIX, LanguageTopic, Spelling, find_forms, find_library, forms, library,
    spellings,
};

/// The category of the built-in tools, in addition to the groups of forms.
const SYSTEM: &str = "tools";

/// Entries that a search shows.
const MOST: usize = 12;

const TEXT: &str = "\
The language reference: `query` finds operators, names and words of a question (`?.`, \
`Math.floor`, `sort by two keys`); `category` shows one (`lists`, `tools`), `form` one form \
(`fold`).";

/// What it takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in super::super) struct Arguments {
    category: Option<String>,
    form: Option<String>,
    query: Option<String>,
}

impl Tool for Arguments {
    const TEXT: &'static str = TEXT;

    async fn call(self, backend: &Arc<Backend>, _: Call) -> ToolResult {
        help(self, &backend.config.toolsets)
    }
}

fn help(Arguments { category, form, query }: Arguments, sets: &[Toolset]) -> ToolResult {
    let forms = forms();
    match (category, form, query) {
        (None, None, None) => Ok(overview(forms, sets)),
        (Some(category), None, None) => show_category(forms, &category, sets),
        (None, Some(form), None) => show_form(forms, &form),
        (None, None, Some(query)) => search(forms, &query),
        _ => {
            let hint = "give one of `category`, `form` and `query`";
            Err(malformed("more than one thing is asked for", Some(hint)).into())
        }
    }
}

/// The groups, in the order of the form table.
fn groups(forms: &[Form]) -> Vec<&str> {
    let mut groups = Vec::new();
    for form in forms {
        if !groups.contains(&form.group.as_str()) {
            groups.push(form.group.as_str());
        }
    }
    groups
}

fn overview(forms: &[Form], sets: &[Toolset]) -> Reply {
    let mut text = String::from(
        "Programs are JavaScript, expressions or statements. What there is beside it are forms, called \
         as f(x, y) or x.f(y); as JSON a form is an object, {\"add\": [1, 2]}. The forms:\n",
    );
    let mut categories = serde_json::Map::new();
    for group in groups(forms) {
        let names: Vec<&str> = forms
            .iter()
            .filter(|form| form.group == group)
            .map(|form| form.name.as_str())
            .collect();
        let _ = writeln!(text, "{group}: {}", names.join(" "));
        categories.insert(group.to_owned(), json!(names));
    }
    let tools: Vec<_> = offered(sets).map(|tool| listed(tool.name())).collect();
    let _ = writeln!(text, "{SYSTEM}: {}", tools.join(" "));
    let _ = writeln!(
        text,
        "The library has {} tools more, such as `std_summary` and `std_left_join`: \
         {}",
        library().tools().count(),
        named(&format!(
            "list {{\"query\": \"{LIBRARY_PREFIX}\"}}, inspect {{\"tool\": \"std_summary\"}}."
        )),
    );
    categories.insert(SYSTEM.to_owned(), json!(tools));
    text.push_str(&named(
        "Example: [1, 2, 3].map(x => x * 2).sum() is 12; as JSON it is \
         {\"sum\":{\"map\":[{\"lam\":\"x\",\"body\":{\"mul\":[{\"var\":\"x\"},2]}},[1,2,3]]}}.\n\
         More: help {\"category\": \"…\"}, help {\"form\": \"fold\"}, help {\"query\": \"…\"}.",
    ));
    Reply::new(text, json!({"categories": categories}))
}

fn show_category(forms: &[Form], category: &str, sets: &[Toolset]) -> ToolResult {
    let wanted = fold(category);
    if wanted == fold(SYSTEM) || wanted == "system" {
        return Ok(show_tools(sets));
    }
    let of_group = |group: &str| -> Vec<&Form> {
        forms.iter().filter(|form| fold(&form.group) == fold(group)).collect()
    };
    let found = of_group(category);
    if found.is_empty() {
        let groups = groups(forms);
        let hint = match similar(&wanted, groups.iter().copied()) {
            Some(similar) => format!("did you mean `{similar}`?"),
            None => format!("there are `{}` and `{SYSTEM}`", groups.join("`, `")),
        };
        return Err(
            malformed(format!("there is no category `{}`", cut(category)), Some(&hint)).into()
        );
    }
    Ok(show(&found))
}

/// Normalizes a category: case and a plural `s` do not matter.
fn fold(category: &str) -> String {
    let lower = category.trim().to_lowercase();
    lower.strip_suffix('s').map_or(lower.clone(), str::to_owned)
}

fn cut(text: &str) -> String {
    text.chars().take(64).collect()
}

fn show_tools(sets: &[Toolset]) -> Reply {
    let mut told = String::new();
    for tool in offered(sets) {
        let _ = writeln!(told, "## {}\n{}\n", listed(tool.name()), named(text(tool)));
    }
    let names: Vec<_> = offered(sets).map(|tool| listed(tool.name())).collect();
    Reply::new(told.trim_end(), json!({"categories": {SYSTEM: names}}))
}

fn show_form(forms: &[Form], name: &str) -> ToolResult {
    if let Some(form) = forms.iter().find(|form| form.name == name) {
        let mut reply = show(&[form]);
        for details in &form.details {
            let _ = write!(reply.text, "\n  {details}");
        }
        return Ok(reply);
    }
    let spelt: Vec<LanguageTopic> = spelt(name).map(LanguageTopic::Spelling).collect();
    if !spelt.is_empty() {
        return Ok(show_found(&spelt));
    }
    let hint = match similar(name, forms.iter().map(|form| form.name.as_str())) {
        Some(similar) => format!("did you mean `{similar}`?"),
        None => named("`help` without arguments lists all forms").into_owned(),
    };
    let fault = malformed(format!("there is no form `{}`", cut(name)), None);
    Err(Refusal::from(fault.advised(Some(hint))))
}

/// What the words of a query find, and tools of the library.
fn search(forms: &[Form], query: &str) -> ToolResult {
    if query.trim().is_empty() {
        return Ok(show(&forms.iter().collect::<Vec<_>>()));
    }
    let found: Vec<LanguageTopic> = find_forms(query)?.into_iter().take(MOST).collect();
    let tools: Vec<&str> =
        find_library(query)?.iter().take(MOST).map(|it| it.name.as_str()).collect();
    let mut reply = match found.is_empty() {
        true if tools.is_empty() => Reply::new(
            named("nothing matches; `help` without arguments lists all forms"),
            json!({"forms": []}),
        ),
        true => Reply::new("no form matches", json!({"forms": []})),
        false => show_found(&found),
    };
    if !tools.is_empty() {
        let see = named("(see `inspect`)");
        let _ = write!(reply.text, "\nin the library: {} {see}", tools.join(" "));
    }
    Ok(reply)
}

/// The spellings that have a name among theirs: `Math.floor`, `?.`, `push`.
fn spelt(name: &str) -> impl Iterator<Item = &'static Spelling> {
    let bare = |word: &str| word.split('(').next().unwrap_or_default().to_lowercase();
    let wanted = bare(name.trim());
    spellings().iter().filter(move |it| {
        let named = it.names.split_whitespace().map(bare);
        let mut all = named.flat_map(|name| {
            let sign = name.trim_matches(char::is_alphanumeric).to_owned();
            let last = name.strip_prefix("xs.").map(str::to_owned);
            [Some(name), Some(sign).filter(|it| it.len() > 1 && it != "."), last]
        });
        !wanted.is_empty() && all.any(|it| it.as_deref() == Some(&wanted))
    })
}

fn show_found(found: &[LanguageTopic]) -> Reply {
    let mut texts = Vec::new();
    let mut of_forms = Vec::new();
    let mut of_javascript = Vec::new();
    for found in found {
        let (text, record, list) = match found {
            LanguageTopic::Form(form) => {
                let (text, record) = of_form(form);
                (text, record, &mut of_forms)
            }
            LanguageTopic::Spelling(spelling) => {
                let (text, record) = of_spelling(spelling);
                (text, record, &mut of_javascript)
            }
        };
        texts.push(text);
        list.push(record);
    }
    Reply::new(texts.join("\n"), json!({"forms": of_forms, "javascript": of_javascript}))
}

fn of_spelling(Spelling { names, doc, example, result, .. }: &Spelling) -> (String, Value) {
    let text = format!("{names}\n  {doc}\n  {example} → {result}");
    let record = json!({"name": names, "doc": doc, "notation": example, "result": result});
    (text, record)
}

fn show(forms: &[&Form]) -> Reply {
    let (texts, records): (Vec<_>, Vec<_>) = forms.iter().map(|form| of_form(form)).unzip();
    Reply::new(texts.join("\n"), json!({"forms": records}))
}

fn of_form(form: &Form) -> (String, Value) {
    let Form { name, group, syntax, shape, doc, notation, result, .. } = form;
    let text =
        format!("{name} [{group}]: {shape}\n  {doc}\n  {notation} → {result}\n  as JSON: {syntax}");
    // As JSON a program is seldom written: the record leaves that to the text.
    let record = json!({
        "name": name,
        "category": group,
        "type": shape,
        "doc": doc,
        "notation": notation,
        "result": result,
    });
    (text, record)
}
