//! Comparisons.

use crate::form::{exactly, operation};
use crate::kinds::{BOOLEAN, NUMBER_OR_STRING};
use crate::prices::OTHER;
use crate::typing::{BOOL, NUM_OR_TXT, Type};

const ORDER: &str = "of two texts 6, and the units of the shorter one; of two numbers, one of them a float, 6; of \
        two integers, one of them big, the limbs of the longer one";
const ORDERED: &str = "Two numbers are compared exactly, two strings by code point.";

rows! { $ comparison:
    Eq = operation("eq", exactly(2))
        .original(9).gives(BOOLEAN)
        .work(OTHER, "of two texts of equal length in bytes, the units of one; of two integers, \
            one of them big, the limbs of the longer one; of two lists, 1 per pair of elements \
            that is compared, up to the first difference; of two pairs 1; of two records of as \
            many members, the units of each key of the first, up to one that the second lacks, \
            then 1 per pair of members that is compared; of two maps or sets of one size, 1 and \
            the content of each key of the first, up to one that the second lacks, then 1 per pair \
            of values; of two quoted terms, the weight of the nodes of the first, up to the first \
            difference. Parts that are compared add their own work")
        .own(&[Type::Any], BOOL)
        .syntax(r#"{"eq": [a, b]}"#)
        .doc("Whether two values are equal, down to their parts.")
        .details(&[
            "Any two values are compared by their parts. `1` equals `1.0`. Quoted terms are equal \
                if their canonical texts are. Reaching a function or a continuation is \
                `type-mismatch`. A difference found before it is the answer `false`.",
        ])
        .example(r#"{"eq": [[1, "a"], [1, "a"]]}"#, "true");
    Lt = operation("lt", exactly(2))
        .original(10).takes(&[NUMBER_OR_STRING]).gives(BOOLEAN).work(OTHER, ORDER)
        .own(&[NUM_OR_TXT], BOOL)
        .syntax(r#"{"lt": [a, b]}"#)
        .doc("Less than: two numbers or two texts.")
        .details(&[ORDERED])
        .example(r#"{"lt": [2, 10]}"#, "true");
    Gt = operation("gt", exactly(2))
        .original(11).takes(&[NUMBER_OR_STRING]).gives(BOOLEAN).work(OTHER, ORDER)
        .own(&[NUM_OR_TXT], BOOL)
        .syntax(r#"{"gt": [a, b]}"#)
        .doc("Greater than.")
        .details(&[ORDERED])
        .example(r#"{"gt": ["b", "a"]}"#, "true");
    Lte = operation("lte", exactly(2))
        .original(12).takes(&[NUMBER_OR_STRING]).gives(BOOLEAN).work(OTHER, ORDER)
        .own(&[NUM_OR_TXT], BOOL)
        .syntax(r#"{"lte": [a, b]}"#)
        .doc("Less than or equal.")
        .details(&[ORDERED])
        .example(r#"{"lte": [3, 3]}"#, "true");
    Gte = operation("gte", exactly(2))
        .original(13).takes(&[NUMBER_OR_STRING]).gives(BOOLEAN).work(OTHER, ORDER)
        .own(&[NUM_OR_TXT], BOOL)
        .syntax(r#"{"gte": [a, b]}"#)
        .doc("Greater than or equal.")
        .details(&[ORDERED])
        .example(r#"{"gte": [2, 3]}"#, "false");
}
