//! Renders what the analyst tells of a program.

use pif_domain::text;
use pif_sandbox::{Cost, Place, SureFault, Typing};

use super::record::MOST_LINE;
use crate::workshop::ProgramType;

/// The most places that are told to fail.
const MOST_FAILS: usize = 50;

/// A type as one line of at most so many characters.
pub fn type_line(shape: &str, most: usize) -> String {
    text::line(shape, most)
}

/// The type of a program and where it surely fails, a line each.
pub fn typed(told: &ProgramType) -> Vec<String> {
    let Typing { shape, fails, .. } = &*told.typing;
    let mut lines = vec![format!("type: {}", type_line(shape, MOST_LINE))];
    if !told.tools.is_empty() {
        let tools: Vec<String> =
            told.tools.iter().map(|(name, revision)| format!("{name} ({revision})")).collect();
        lines.push(format!("the type holds for: {}", tools.join(", ")));
    }
    lines.extend(fails.iter().take(MOST_FAILS).map(failure));
    lines
}

/// A bound of the fuel, as a line. None where none is known.
pub(super) fn cost(Cost { fuel, class, sizes }: &Cost) -> Option<String> {
    let fuel = fuel.as_ref()?;
    let sizes: Vec<String> = sizes.iter().map(|(name, size)| format!("{name} = {size}")).collect();
    let place = match sizes.is_empty() {
        true => String::new(),
        false => format!(", where {}", sizes.join(", ")),
    };
    Some(text::line(&format!("cost: at most {fuel} fuel ({class}){place}"), MOST_LINE))
}

/// A place that surely fails, as a line.
fn failure(it: &SureFault) -> String {
    let mut line = format!("fails: {}", it.code);
    match &it.place {
        Some(Place { line: number, column, .. }) => {
            line.push_str(&format!(" at line {number}, column {column}"));
        }
        None if it.at.is_empty() => {}
        None => line.push_str(&format!(" at {}", it.at)),
    }
    line.push_str(if it.always { ", in every run" } else { ", in every run that comes there" });
    if let Some(hint) = &it.hint {
        line.push_str(&format!(" ({hint})"));
    }
    text::line(&line, MOST_LINE)
}
