//! Comparisons.

use crate::form::{exactly, operation};
use crate::kinds::{BOOLEAN, NUMBER_OR_STRING};

rows! { $ comparison:
    Eq = operation("eq", exactly(2))
        .original().gives(BOOLEAN)
        .syntax(r#"{"eq": [a, b]}"#)
        .doc("Whether two values are equal, down to their parts.")
        .example(r#"{"eq": [[1, "a"], [1, "a"]]}"#, "true");
    Lt = operation("lt", exactly(2))
        .original().takes(&[NUMBER_OR_STRING]).gives(BOOLEAN)
        .syntax(r#"{"lt": [a, b]}"#)
        .doc("Less than: two numbers or two texts.")
        .example(r#"{"lt": [2, 10]}"#, "true");
    Gt = operation("gt", exactly(2))
        .original().takes(&[NUMBER_OR_STRING]).gives(BOOLEAN)
        .syntax(r#"{"gt": [a, b]}"#)
        .doc("Greater than.")
        .example(r#"{"gt": ["b", "a"]}"#, "true");
    Lte = operation("lte", exactly(2))
        .original().takes(&[NUMBER_OR_STRING]).gives(BOOLEAN)
        .syntax(r#"{"lte": [a, b]}"#)
        .doc("Less than or equal.")
        .example(r#"{"lte": [3, 3]}"#, "true");
    Gte = operation("gte", exactly(2))
        .original().takes(&[NUMBER_OR_STRING]).gives(BOOLEAN)
        .syntax(r#"{"gte": [a, b]}"#)
        .doc("Greater than or equal.")
        .example(r#"{"gte": [2, 3]}"#, "false");
}
