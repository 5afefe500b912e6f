//! Control.

use crate::form::{BARE, Shape, at_least, builtin, control, operation};
use crate::kinds::{ANY, BOOLEAN, FUNCTION};
use crate::prices::{JUMPER, OTHER, UNFOLDED};

rows! { $ control:
    If = control("if", Shape::Members(&["cond", "then", "else"]))
        .original(17).takes(&[BOOLEAN, ANY])
        .own()
        .syntax(r#"{"if": {"cond": c, "then": t, "else": e}}"#)
        .doc("Evaluates one of two terms.")
        .example(r#"{"if": {"cond": {"gt": [3, 2]}, "then": "yes", "else": "no"}}"#, r#""yes""#);
    Continue = operation("continue", Shape::Members(&["input"]))
        .original(29)
        .own()
        .syntax(r#"{"continue": {"input": t}}"#)
        .doc("Ends this step of the tool; the next step is a run with that input.")
        .example(r#"{"quote": {"continue": {"input": 1}}}"#, r#"{"continue":{"input":1}}"#);
    Cond = control("cond", Shape::Branches)
        .own()
        .syntax(r#"{"cond": [[test, value], …]}"#)
        .doc("The value beside the first true test.")
        .example(r#"{"cond": [[{"lt": [5, 3]}, "small"], [true, "large"]]}"#, r#""large""#);
    Coalesce = control("coalesce", at_least(2))
        .own()
        .syntax(r#"{"coalesce": [a, b, …]}"#)
        .doc("The first operand that is not null, or null. Later operands are not evaluated.")
        .example(r#"{"coalesce": [{"get_in": [{"record": {"a": null}}, ["a"]]}, 0]}"#, "0");
    Try = control("try", Shape::Try)
        .takes(&[ANY, FUNCTION, ANY]).visit(JUMPER).application(UNFOLDED)
        .work(OTHER, "768 of fuel for a fault that it catches, whatever a unit costs")
        .own()
        .syntax(r#"{"try": t, "catch": f} or {"try": t, "catch": f, "codes": ["divide-by-zero", …]}"#)
        .doc("The value of `t`; if it faults, `f` of a record {code, message, value, at, hint, \
            reason, tool}. `codes` limits the faults caught.")
        .example(
            r#"{"try": {"div": [1, 0]}, "catch": {"lam": "e", "body": {"get": [{"var": "e"}, "code"]}}}"#,
            r#""divide-by-zero""#,
        );
    Fail = builtin("fail", BARE)
        .own()
        .syntax(r#"{"fail": t}"#)
        .doc("A fault with the code `fail` and this value.")
        .example(
            r#"{"try": {"fail": "no stock"}, "catch": {"lam": "e", "body": {"get": [{"var": "e"}, "value"]}}}"#,
            r#""no stock""#,
        );
    Pipe = control("pipe", at_least(2))
        .takes(&[ANY, FUNCTION]).application(UNFOLDED).apart()
        .own()
        .syntax(r#"{"pipe": [x, f, g, …]}"#)
        .doc("Passes a value through functions, one after another: g(f(x)).")
        .example(
            r#"{"pipe": [3, {"lam": "x", "body": {"add": [{"var": "x"}, 1]}}, {"lam": "x", "body": {"mul": [{"var": "x"}, 10]}}]}"#,
            "40",
        );
}
