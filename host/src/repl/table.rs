//! Values for people: lists of records as tables, and the shapes of values.

use std::collections::BTreeSet;

use pif_domain::text;
use serde_json::{Map, Value};
use unicode_width::UnicodeWidthStr;

/// The widest cell, in columns of the terminal.
const WIDEST: usize = 40;

/// The most items of a list whose shapes are told.
const MOST_SHAPES: usize = 50;

/// The spaces between two columns.
const GAP: usize = 2;

/// How deep a shape goes.
const DEEPEST: usize = 4;

/// A list of records as a table of this width, whose head is written by `paint`; None for other
/// values.
pub(super) fn table(value: &Value, width: usize, paint: impl Fn(&str) -> String) -> Option<String> {
    let rows: Vec<&Map<String, Value>> =
        value.as_array()?.iter().map(Value::as_object).collect::<Option<_>>()?;
    let names: BTreeSet<&str> =
        rows.iter().flat_map(|row| row.keys().map(String::as_str)).collect();
    if names.is_empty() {
        return None;
    }
    let mut columns = Vec::new();
    let mut used = 0;
    let mut hidden = Vec::new();
    for name in names {
        // The first column is shown in any case.
        let column = (used < width).then(|| Column::of(name, &rows));
        match column.filter(|it| used + it.width <= width || columns.is_empty()) {
            Some(column) => {
                used += column.width + GAP;
                columns.push(column);
            }
            None => {
                used = width;
                hidden.push(name);
            }
        }
    }
    let mut lines = vec![paint(&line(&columns, |column| &column.head))];
    lines.extend(
        (0..rows.len())
            .map(|at| line(&columns, |column| column.cells.get(at).map_or("", String::as_str))),
    );
    if !hidden.is_empty() {
        lines.push(format!("… and the members {}", text::line(&hidden.join(", "), width)));
    }
    Some(lines.join("\n"))
}

/// A column of a table.
struct Column {
    head: String,
    cells: Vec<String>,
    width: usize,
    /// Whether all its values are numbers.
    is_right: bool,
}

impl Column {
    fn of(name: &str, rows: &[&Map<String, Value>]) -> Self {
        let cells: Vec<String> =
            rows.iter().map(|row| row.get(name).map_or_else(String::new, cell)).collect();
        let head = text::line(name, WIDEST);
        let widths = cells.iter().chain([&head]).map(|text| text.width());
        let width = widths.max().unwrap_or_default();
        let is_right = rows.iter().filter_map(|row| row.get(name)).all(Value::is_number);
        Self { head, cells, width, is_right }
    }
}

fn cell(value: &Value) -> String {
    match value {
        Value::String(text) => text::line(text, WIDEST),
        value => text::line(&value.to_string(), WIDEST),
    }
}

fn line<'a>(columns: &'a [Column], text: impl Fn(&'a Column) -> &'a str) -> String {
    let cells = columns.iter().map(|column| {
        let cell = text(column);
        let space = " ".repeat(column.width.saturating_sub(cell.width()));
        if column.is_right { format!("{space}{cell}") } else { format!("{cell}{space}") }
    });
    cells.collect::<Vec<_>>().join(&" ".repeat(GAP)).trim_end().to_owned()
}

/// The shape of a value, such as `list of 2 {id: integer, name: text}`.
pub(super) fn shape(value: &Value) -> String {
    shape_at(value, 0)
}

fn shape_at(value: &Value, depth: usize) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => "boolean".to_owned(),
        Value::Number(number) if number.to_string().contains(['.', 'e', 'E']) => "float".to_owned(),
        Value::Number(_) => "integer".to_owned(),
        Value::String(_) => "text".to_owned(),
        Value::Array(_) | Value::Object(_) if depth == DEEPEST => "…".to_owned(),
        Value::Array(items) => {
            let mut shapes: Vec<String> = Vec::new();
            for item in items.iter().take(MOST_SHAPES) {
                let shape = shape_at(item, depth + 1);
                if !shapes.contains(&shape) {
                    shapes.push(shape);
                }
            }
            match shapes.as_slice() {
                [] => "list of 0".to_owned(),
                shapes => format!("list of {} {}", items.len(), shapes.join(" | ")),
            }
        }
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| {
                format!("{}: {}", text::line(name, WIDEST), shape_at(value, depth + 1))
            });
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{shape, table};
    use serde_json::{Value, json};

    fn drawn(value: &Value, width: usize) -> Option<String> {
        table(value, width, str::to_owned)
    }

    #[test]
    fn lists_of_records_are_tables() {
        let value =
            json!([{"id": 1, "name": "ä日本"}, {"id": 10, "name": "b", "x": [1]}, {"x": null}]);
        let expected = "id  name   x\n 1  ä日本\n10  b      [1]\n           null";
        assert_eq!(drawn(&value, 80).as_deref(), Some(expected));
        assert_eq!(
            drawn(&value, 9).as_deref().map(|it| it.lines().last().map(str::to_owned)),
            Some(Some("… and the members x".to_owned()))
        );
        for value in [json!([]), json!([{}]), json!([1]), json!({"a": 1})] {
            assert_eq!(drawn(&value, 80), None);
        }
    }

    #[test]
    fn shapes_name_members_and_items() {
        let value = json!([{"id": 1, "tags": ["a"]}, {"id": 2, "tags": []}]);
        assert_eq!(
            shape(&value),
            "list of 2 {id: integer, tags: list of 1 text} | {id: integer, tags: list of 0}"
        );
        assert_eq!(shape(&json!([[[[[1]]]]])), "list of 1 list of 1 list of 1 list of 1 …");
    }
}
