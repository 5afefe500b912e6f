//! Control.

use crate::form::{BARE, Shape, at_least, builtin, control, exactly, operation};
use crate::kinds::{ANY, BOOLEAN, CONTINUATION, FUNCTION, RECORD, STRING};
use crate::prices::{JUMPER, OTHER, READER, TEXT, UNFOLDED};
use crate::typing::{BOOL, FAULT, NEVER, NOTHING, TXT, Type};

rows! { $ control:
    If = control("if", Shape::Members(&["cond", "then", "else"]))
        .original(17).takes(&[BOOLEAN, ANY])
        .own(&[BOOL, Type::A, Type::A], Type::A)
        .syntax(r#"{"if": {"cond": c, "then": t, "else": e}}"#)
        .doc("Evaluates one of two terms.")
        .example(r#"{"if": {"cond": {"gt": [3, 2]}, "then": "yes", "else": "no"}}"#, r#""yes""#);
    Continue = operation("continue", Shape::Members(&["input"]))
        .original(29)
        .own(&[Type::Any], Type::Of(CONTINUATION))
        .syntax(r#"{"continue": {"input": t}}"#)
        .doc("Ends this step of the tool; the next step is a run with that input.")
        .example(r#"{"quote": {"continue": {"input": 1}}}"#, r#"{"continue":{"input":1}}"#);
    Cond = control("cond", Shape::Branches)
        .own(&[Type::Tuple(&[BOOL, Type::A])], Type::A)
        .syntax(r#"{"cond": [[test, value], …]}"#)
        .doc("The value beside the first true test.")
        .example(r#"{"cond": [[{"lt": [5, 3]}, "small"], [true, "large"]]}"#, r#""large""#);
    Coalesce = control("coalesce", at_least(2))
        .own(&[Type::Maybe(&Type::A)], Type::Maybe(&Type::A))
        .syntax(r#"{"coalesce": [a, b, …]}"#)
        .doc("The first operand that is not null, or null. Later operands are not evaluated.")
        .example(r#"{"coalesce": [{"get_in": [{"record": {"a": null}}, ["a"]]}, 0]}"#, "0");
    Try = control("try", Shape::Try)
        .takes(&[ANY, FUNCTION, ANY]).visit(JUMPER).application(UNFOLDED)
        .work(OTHER, "768 of fuel for a fault that it catches, whatever a unit costs")
        .own(&[Type::A, Type::Function(&[FAULT], &Type::B)], Type::Or(&[Type::A, Type::B]))
        .syntax(r#"{"try": t, "catch": f} or {"try": t, "catch": f, "codes": ["divide-by-zero", …]}"#)
        .doc("The value of `t`; if it faults, `f` of a record {code, message, value, at, hint, \
            reason, tool}. `codes` limits the faults caught.")
        .example(
            r#"{"try": {"div": [1, 0]}, "catch": {"lam": "e", "body": {"get": [{"var": "e"}, "code"]}}}"#,
            r#""divide-by-zero""#,
        );
    Fail = builtin("fail", BARE)
        .own(&[Type::Any], NEVER)
        .syntax(r#"{"fail": t}"#)
        .doc("A fault with the code `fail` and this value.")
        .example(
            r#"{"try": {"fail": "no stock"}, "catch": {"lam": "e", "body": {"get": [{"var": "e"}, "value"]}}}"#,
            r#""no stock""#,
        );
    Retry = control("retry", exactly(2))
        .takes(&[RECORD, FUNCTION]).visit(READER).application(UNFOLDED).apart()
        .work(TEXT, "1 per option and per reason, and the units of its name; 768 of fuel for each \
            fault after which it tries again, whatever a unit costs")
        .own(&[Type::Of(RECORD), Type::Function(&[NOTHING], &Type::A)], Type::A)
        .syntax(r#"{"retry": [options, f]}"#)
        .doc("The value of `f` of null; where a call of another server fails in it for one of the \
            reasons, it waits and applies `f` again.")
        .details(&[
            "All options may be missing: `attempts` (3, at most 10), `first_ms` (200) before the \
                second attempt, `factor` (2, at most 10) by which each wait is longer than the last, \
                and the reasons `on` (timeout, lost, rate-limited and unavailable; tool-error and \
                rpc-error are possible, too). All waits of one `retry` together are at most 60 seconds: a wait \
                beyond that is not begun.",
            "Only a call that reads is tried again, or a write that the operator's `effects` call \
                idempotent, and nothing after any other write in the same `retry`. What is not tried \
                again is a fault as ever.",
            "After `rate-limited` it waits as long as the other server asks for by `Retry-After`, if that is \
                longer.",
            "The program reads no clock: the host waits. A replay waits for nothing.",
        ])
        .example(r#"{"retry": [{"record": {"attempts": 5}}, {"lam": "none", "body": {"add": [1, 2]}}]}"#, "3");
    Step = control("step", exactly(2))
        .takes(&[STRING, ANY]).visit(JUMPER).apart()
        .typed(&[TXT, Type::A], Type::A)
        .syntax(r#"{"step": [name, t]}"#)
        .doc("The value of `t`, which is a part of the program with a name.")
        .example(r#"{"step": ["add up", {"sum": [1, 2, 3]}]}"#, "6");
    Pipe = control("pipe", at_least(2))
        .takes(&[ANY, FUNCTION]).application(UNFOLDED).apart()
        .own(&[Type::A, Type::Function(&[Type::A], &Type::B), Type::Of(FUNCTION)], Type::Any)
        .syntax(r#"{"pipe": [x, f, g, …]}"#)
        .doc("Passes a value through functions, one after another: g(f(x)).")
        .example(
            r#"{"pipe": [3, {"lam": "x", "body": {"add": [{"var": "x"}, 1]}}, {"lam": "x", "body": {"mul": [{"var": "x"}, 10]}}]}"#,
            "40",
        );
}
