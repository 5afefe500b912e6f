//! The types of the tools that a program may name, where some are known by their sources.

use crate::shape::Shape;
use crate::{Request, analyze};
use pif_language::survey::{needs_named, tools_named};
use pif_language::term::{Origin, TermId, Terms};
use std::collections::HashMap;

/// What is known of a tool.
#[derive(Clone, Debug)]
pub enum Known {
    /// The type of its value.
    Shape(Shape),
    /// Its source.
    Code(String),
}

/// Where the walk through the sources stands with one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Unseen,
    Open,
    Done,
}

/// The types of tools. A source is analyzed after those that it names; tools that name each other in a
/// circle know nothing of those that come later in it.
#[must_use]
pub fn shapes(tools: &[(String, Known)]) -> Vec<(String, Shape)> {
    let numbers: HashMap<&str, usize> =
        tools.iter().enumerate().map(|(number, (name, _))| (name.as_str(), number)).collect();
    let mut marks = vec![Mark::Unseen; tools.len()];
    let mut known: Vec<(String, Shape)> = Vec::new();
    for (name, tool) in tools {
        if let Known::Shape(shape) = tool {
            known.push((name.clone(), shape.clone()));
        }
    }
    let mut open: Vec<usize> = (0..tools.len()).rev().collect();
    while let Some(number) = open.pop() {
        let Some((name, Known::Code(code))) = tools.get(number) else { continue };
        match marks.get(number).copied() {
            Some(Mark::Unseen) => {
                set(&mut marks, number, Mark::Open);
                open.push(number);
                let named = names(code).0;
                let named = named.iter().filter_map(|it| numbers.get(it.as_str()).copied());
                open.extend(named.filter(|it| marks.get(*it) == Some(&Mark::Unseen)));
            }
            Some(Mark::Open) => {
                set(&mut marks, number, Mark::Done);
                let tools = known.clone();
                let request = Request { code, tools, is_tool: true, ..Request::default() };
                if let Ok(told) = analyze(&request) {
                    known.push((name.clone(), told.shape_of_tool()));
                }
            }
            _ => {}
        }
    }
    known
}

fn set(marks: &mut [Mark], number: usize, mark: Mark) {
    if let Some(it) = marks.get_mut(number) {
        *it = mark;
    }
}

/// The tools that a program names literally, then the tools of other servers. None, if it cannot be
/// read.
fn names(code: &str) -> (Vec<String>, Vec<String>) {
    let mut terms = Terms::default();
    match pif_notation::read_code(&mut terms, code, Origin::Code, &[]) {
        Ok(parsed) => names_of(&terms, parsed.root),
        Err(_) => (Vec::new(), Vec::new()),
    }
}

/// The tools that a term names literally, then the tools of other servers.
#[must_use]
pub fn names_of(terms: &Terms, root: TermId) -> (Vec<String>, Vec<String>) {
    let own = tools_named(terms, root).0.into_iter().map(|it| it.0.to_owned()).collect();
    let others = needs_named(terms, root).0.into_iter().map(|it| it.0.to_owned()).collect();
    (own, others)
}
