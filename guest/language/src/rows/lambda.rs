//! Variables and functions.

use crate::form::{Shape, control, exactly};
use crate::kinds::{ANY, FUNCTION, LIST};
use crate::prices::{LIGHT, OUTSIDE, STEP};
use crate::typing::Type;

rows! { $ lambda:
    Var = control("var", Shape::Name)
        .original(1)
        .own(&[], Type::Any)
        .syntax(r#"{"var": "x"}"#)
        .doc("The value of a variable.")
        .example(r#"{"let": [["x", 5]], "in": {"var": "x"}}"#, "5");
    Lam = control("lam", Shape::Lambda)
        .original(2).gives(FUNCTION).visit(LIGHT)
        .own(&[], Type::Function(&[Type::A], &Type::B))
        .syntax(r#"{"lam": "x", "body": t} or {"lam": ["x", "y"], "body": t}"#)
        .doc("A function. Several parameters are taken one by one.")
        .details(&[
            "An empty list of parameters is refused, and a parameter that stands twice. A function \
                that gets too few arguments is a function of the others. Arguments beyond the last \
                parameter go to the function's value. `args` may not be empty, nor stand beside \
                `arg`.",
        ])
        .example(
            r#"{"app": {"func": {"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}, "arg": 7}}"#,
            "49",
        );
    App = control("app", Shape::Application)
        .original(3).takes(&[FUNCTION, ANY])
        .own(&[Type::Function(&[Type::A], &Type::B), Type::A], Type::B)
        .syntax(r#"{"app": {"func": f, "arg": a}} or {"app": {"func": f, "args": [a, b]}}"#)
        .doc("Applies a function.")
        .example(
            r#"{"app": {"func": {"lam": ["x", "y"], "body": {"sub": [{"var": "x"}, {"var": "y"}]}}, "args": [10, 3]}}"#,
            "7",
        );
    Let = control("let", Shape::Bindings)
        .own(&[Type::A], Type::A)
        .syntax(r#"{"let": [["x", t], ["y", u]], "in": b}"#)
        .doc("Names values; each sees the earlier ones.")
        .details(&[
            "An object may stand in place of the list if it has exactly one member, because \
                members have no order. A later binding of a name hides the earlier one.",
        ])
        .example(
            r#"{"let": [["x", 2], ["y", {"mul": [{"var": "x"}, 3]}]], "in": {"add": [{"var": "x"}, {"var": "y"}]}}"#,
            "8",
        );
    Letrec = control("letrec", Shape::Functions)
        .visit(OUTSIDE)
        .own(&[Type::A], Type::A)
        .syntax(r#"{"letrec": [["f", {"lam": "x", "body": t}], …], "in": b}"#)
        .doc("Names functions; each sees itself and all the others.")
        .details(&[
            "At most 64 functions, each written as a `lam`. Every function sees all of them, and \
                so does the body. A name that stands twice is refused, and an object stands in \
                place of the list as in `let`. Making the functions costs a visit of each `lam`. \
                Calls between them in tail position need no depth.",
        ])
        .example(
            r#"{"letrec": [["sum", {"lam": "n", "body": {"if": {"cond": {"lte": [{"var": "n"}, 0]}, "then": 0, "else": {"add": [{"var": "n"}, {"app": {"func": {"var": "sum"}, "arg": {"sub": [{"var": "n"}, 1]}}}]}}}}]], "in": {"app": {"func": {"var": "sum"}, "arg": 4}}}"#,
            "10",
        );
    Apply = control("apply", exactly(2))
        .takes(&[FUNCTION, LIST, ANY]).visit(OUTSIDE).apart()
        .work(STEP, "1 per argument that is passed")
        .own(&[Type::Of(FUNCTION), Type::Of(LIST)], Type::Any)
        .syntax(r#"{"apply": [f, [a, …]]}"#)
        .doc("Applies a function to as many of the arguments as it has parameters; the others are \
            left out. No arguments are one null.")
        .details(&[
            "It counts the parameters that the function's own lambda names and that have no \
                argument yet: 1 of `{\"lam\": \"x\", \"body\": {\"lam\": \"y\", …}}`. With fewer \
                arguments it gives a function that waits for the rest.",
        ])
        .example(r#"{"apply": [{"lam": "x", "body": {"mul": [{"var": "x"}, 2]}}, [21, 0]]}"#, "42");
}
