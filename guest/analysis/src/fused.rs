//! Programs with the sources of tools in place of their names, in their normal form.

use crate::Request;
use crate::normal::{Normal, normal_term};
use pif_core::fault::Fault;
use pif_language::form::Form;
use pif_language::print;
use pif_language::survey::tools_named;
use pif_language::term::{Origin, TermId, Terms};
use pif_language::uses::Uses;
use pif_language::walk::{nodes, rebuild};
use std::collections::BTreeMap;

/// The most terms of a program with sources in place of names.
const MOST: u64 = 20_000;

/// A program without the tools that it named.
#[derive(Debug)]
pub struct Fused {
    /// Its normal form.
    pub normal: Normal,
    /// The tools whose sources are in it, in the order of their names.
    pub tools: Vec<String>,
}

/// A source that can stand in place of its name.
struct Source {
    root: TermId,
    /// How many terms it has, with all that is put into it.
    size: u64,
    /// The tools whose sources are in it.
    tools: Vec<String>,
}

/// Where the walk through the sources stands with one.
enum Mark {
    Open(TermId),
    Done(Option<Source>),
}

/// Puts the sources of tools in place of their names, as far as that changes no value, and finds the
/// normal form. `sources` are tools with their sources.
///
/// A tool keeps its name if its source says what it means by where it stands: if it calls itself, asks for a
/// next step, evaluates terms, has a `try`, which may look at the tool of a fault, or has a free variable.
pub fn fused(request: &Request<'_>, sources: &[(String, String)]) -> Result<Fused, Fault> {
    let (terms, Source { root, tools, .. }) = with_sources(request, sources)?;
    Ok(Fused { normal: normal_term(terms, root, request), tools })
}

/// A program with the sources of tools in place of their names.
#[derive(Debug)]
pub struct Filled {
    /// The term as JSON.
    pub json: String,
    /// The tools whose sources are in it, in the order of their names.
    pub tools: Vec<String>,
}

/// Puts the sources of tools in place of their names, where [`fused()`] does, and changes nothing else.
pub fn filled_program(
    request: &Request<'_>,
    sources: &[(String, String)],
) -> Result<Filled, Fault> {
    let (terms, Source { root, tools, .. }) = with_sources(request, sources)?;
    Ok(Filled { json: print::term(&terms, root), tools })
}

fn with_sources(
    request: &Request<'_>,
    sources: &[(String, String)],
) -> Result<(Terms, Source), Fault> {
    let mut terms = Terms::default();
    let free = request.free_names();
    let root = pif_notation::read_code(&mut terms, request.code, Origin::Code, &free)?.root;
    let mut marks = read(&mut terms, root, sources);
    let whole = Source { root, size: count(&terms, root), tools: Vec::new() };
    let source = filled(&mut terms, whole, &mut marks);
    Ok((terms, source))
}

/// Reads the sources that a term names, and those that these name, callees first. A tool that comes to
/// itself keeps its name there.
fn read(terms: &mut Terms, root: TermId, sources: &[(String, String)]) -> BTreeMap<String, Mark> {
    let sources: BTreeMap<&str, &str> =
        sources.iter().map(|(name, source)| (name.as_str(), source.as_str())).collect();
    let mut marks: BTreeMap<String, Mark> = BTreeMap::new();
    let mut open = names(terms, root);
    while let Some(name) = open.pop() {
        match marks.remove(&name) {
            None => {
                let source = sources.get(name.as_str());
                let root = source.and_then(|it| {
                    let origin = Origin::Tool(name.clone());
                    Some(pif_notation::read_code(terms, it, origin, &[]).ok()?.root)
                });
                let Some(root) = root.filter(|it| is_closed(terms, *it)) else {
                    marks.insert(name, Mark::Done(None));
                    continue;
                };
                open.push(name.clone());
                let callees = names(terms, root).into_iter();
                open.extend(callees.filter(|it| !marks.contains_key(it) && *it != name));
                marks.insert(name, Mark::Open(root));
            }
            Some(Mark::Open(root)) => {
                let own = Source { root, size: count(terms, root), tools: vec![name.clone()] };
                let filled = filled(terms, own, &mut marks);
                marks.insert(name, Mark::Done(Some(filled)));
            }
            Some(done) => _ = marks.insert(name, done),
        }
    }
    marks
}

/// The tools that a term names, the last one first.
fn names(terms: &Terms, root: TermId) -> Vec<String> {
    tools_named(terms, root).0.iter().rev().map(|it| it.0.to_owned()).collect()
}

/// Whether a source means the same wherever it stands.
fn is_closed(terms: &Terms, root: TermId) -> bool {
    let Uses { free, quoted, has_eval, of_tool, .. } = Uses::of(terms, root);
    let has_try = nodes(terms, root).any(|it| terms.form(it) == Form::Try);
    free.iter().next().is_none()
        && quoted.iter().next().is_none()
        && of_tool.is_empty()
        && !has_eval
        && !has_try
}

fn count(terms: &Terms, root: TermId) -> u64 {
    nodes(terms, root).fold(0, |count, _| count + 1)
}

/// A program with the sources that are known in place of names, as long as it does not get too large.
fn filled(terms: &mut Terms, mut program: Source, marks: &mut BTreeMap<String, Mark>) -> Source {
    let mut size = program.size;
    let mut used = program.tools.clone();
    program.root = rebuild(terms, program.root, |terms, term, level| {
        let [name] = *terms.operands(term) else { return None };
        if level > 0 || terms.form(term) != Form::Tool || terms.form(name) != Form::Text {
            return None;
        }
        let Some(Mark::Done(Some(source))) = marks.get(terms.text(name)) else { return None };
        let grown = size.saturating_add(source.size);
        if grown > MOST {
            return None;
        }
        size = grown;
        used.extend(source.tools.iter().cloned());
        Some(source.root)
    });
    used.sort();
    used.dedup();
    Source { root: program.root, size, tools: used }
}

#[cfg(test)]
mod tests {
    use super::fused;
    use crate::Request;
    use crate::trial::Run;
    use crate::trial::tests::evaluate;

    fn told(code: &str, tools: &[(&str, &str)]) -> (String, Vec<String>) {
        let sources: Vec<(String, String)> =
            tools.iter().map(|(name, code)| ((*name).to_owned(), (*code).to_owned())).collect();
        let request = Request { code, ..Request::default() };
        let found = fused(&request, &sources).expect("a program");
        (found.normal.notation, found.tools)
    }

    #[test]
    fn tools_after_one_another_become_one_loop() {
        let tools = [("prices", "os => os.map(o => o.price * 1)"), ("net", "p => p / 2")];
        let (notation, used) = told("os => @prices(os).map(x => @net(x))", &tools);
        assert_eq!(notation, "x1 => x1.map(x2 => x2.price * 1 / 2)");
        assert_eq!(used, ["net", "prices"]);
        // A tool within a tool.
        let tools = [("a", "x => @b(x) * 3"), ("b", "x => x.length()")];
        assert_eq!(told("x => @a(x)", &tools).0, "x1 => x1.length() * 3");
    }

    #[test]
    fn a_tool_that_means_where_it_stands_keeps_its_name() {
        for source in [
            "n => n < 1 ? 0 : self(n - 1)",
            "n => n < 1 ? 0 : @t(n - 1)",
            "n => n > 3 ? continue(n - 1) : n",
            "c => eval(c)",
            "x => code_of(\"self\")",
            "x => { try { return 1 / x; } catch (e) { return e.tool; } }",
            "x => y",
        ] {
            let (notation, used) = told("x => @t(x)", &[("t", source)]);
            assert!(notation.contains("@t"), "{source}: {notation}");
            assert!(used.is_empty() || source.contains("@t"), "{source}: {used:?}");
        }
        // A name in a quote is a part of its value.
        let (notation, used) = told("x => quote(@t(1))", &[("t", "x => x")]);
        assert!(notation.contains("@t") && used.is_empty(), "{notation}");
    }

    #[test]
    fn what_would_get_too_large_keeps_its_name() {
        let names: Vec<String> = (0..40).map(|at| format!("t{at}")).collect();
        let code = |at: usize| match at {
            0 => "x => x * 2 - 1".to_owned(),
            _ => format!("x => @t{0}(x).map(y => @t{0}(y))", at - 1),
        };
        let sources: Vec<String> = (0..40).map(code).collect();
        let tools: Vec<(&str, &str)> =
            names.iter().zip(&sources).map(|(name, code)| (name.as_str(), code.as_str())).collect();
        let (notation, _) = told("x => @t39(x)", &tools);
        assert!(notation.len() < 1_000_000, "{}", notation.len());
    }

    #[test]
    fn a_fused_program_gives_an_equal_value() {
        let tool = "xs => xs.filter(x => x > 1)";
        let (notation, used) = told("xs => @self(xs).map(x => x * 2)", &[("self", tool)]);
        assert_eq!(used, ["self"]);
        let run = |code: &str| {
            let code = format!("({code})(data)");
            evaluate(
                &Run { program: 0, code: code.into(), data: "[1,2,3]".into(), fuel: 9999 },
                tool,
            )
        };
        assert_eq!(run(&notation).0, run("xs => @self(xs).map(x => x * 2)").0);
    }
}
