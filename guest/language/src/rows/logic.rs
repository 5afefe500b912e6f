//! Booleans.

use crate::form::{BARE, at_least, between, builtin, control, operation};
use crate::kinds::{ANY, BOOLEAN, LIST, STRING};
use crate::prices::{LOOK_UP, OUTSIDE};
use crate::typing::{BOOL, PATH, TXT, Type};

rows! { $ logic:
    And = control("and", at_least(2))
        .original(14).takes(&[BOOLEAN]).gives(BOOLEAN)
        .own(&[BOOL], BOOL)
        .syntax(r#"{"and": [a, b, …]}"#)
        .doc("Whether all are true; stops at the first that is not.")
        .example(r#"{"and": [true, {"lt": [1, 2]}]}"#, "true");
    Or = control("or", at_least(2))
        .original(15).takes(&[BOOLEAN]).gives(BOOLEAN)
        .own(&[BOOL], BOOL)
        .syntax(r#"{"or": [a, b, …]}"#)
        .doc("Whether any is true; stops at the first that is.")
        .example(r#"{"or": [false, true]}"#, "true");
    Not = operation("not", BARE)
        .original(16).takes(&[BOOLEAN]).gives(BOOLEAN)
        .typed(&[BOOL], BOOL)
        .syntax(r#"{"not": a}"#)
        .doc("The opposite.")
        .example(r#"{"not": false}"#, "true");
    Truth = operation("truth", BARE)
        .takes(&[ANY]).gives(BOOLEAN)
        .own(&[Type::Any], BOOL)
        .syntax(r#"{"truth": a}"#)
        .doc("False for false, null, 0, \"\" and not a number; true for all else.")
        .example(r#"{"truth": ""}"#, "false");
    Either = control("either", at_least(2))
        .takes(&[ANY])
        .own(&[Type::A], Type::A)
        .syntax(r#"{"either": [a, b, …]}"#)
        .doc("The first operand whose `truth` is true, else the last. Those behind it are not \
            evaluated.")
        .example(r#"{"either": ["", null, "x"]}"#, r#""x""#);
    Both = control("both", at_least(2))
        .takes(&[ANY])
        .own(&[Type::A], Type::A)
        .syntax(r#"{"both": [a, b, …]}"#)
        .doc("The first operand whose `truth` is false, else the last. Those behind it are not \
            evaluated.")
        .example(r#"{"both": [1, 0, "x"]}"#, "0");
    Typeof = builtin("typeof", between(1, 2))
        .takes(&[ANY, LIST, ANY]).gives(STRING).visit(OUTSIDE)
        .work(LOOK_UP, "with a path, as `get_in`")
        .own(&[Type::Any, PATH], TXT)
        .syntax(r#"{"typeof": [a, path?]}"#)
        .doc("The type as JavaScript names it: `number`, `string`, `boolean`, `object`, \
            `function`; with a path that of the value there, or `undefined`.")
        .example(r#"{"typeof": [{"record": {"a": 1}}, ["b"]]}"#, r#""undefined""#);
}
