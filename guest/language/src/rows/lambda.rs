//! Variables and functions.

use crate::form::{Shape, control, exactly};
use crate::kinds::{ANY, FUNCTION, LIST};
use crate::prices::{LIGHT, OUTSIDE, STEP};

rows! { $ lambda:
    Var = control("var", Shape::Name)
        .original()
        .syntax(r#"{"var": "x"}"#)
        .doc("The value of a variable.")
        .example(r#"{"let": [["x", 5]], "in": {"var": "x"}}"#, "5");
    Lam = control("lam", Shape::Lambda)
        .original().gives(FUNCTION).visit(LIGHT)
        .syntax(r#"{"lam": "x", "body": t} or {"lam": ["x", "y"], "body": t}"#)
        .doc("A function. Several parameters are taken one by one.")
        .example(
            r#"{"app": {"func": {"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}, "arg": 7}}"#,
            "49",
        );
    App = control("app", Shape::Application)
        .original().takes(&[FUNCTION, ANY])
        .syntax(r#"{"app": {"func": f, "arg": a}} or {"app": {"func": f, "args": [a, b]}}"#)
        .doc("Applies a function.")
        .example(
            r#"{"app": {"func": {"lam": ["x", "y"], "body": {"sub": [{"var": "x"}, {"var": "y"}]}}, "args": [10, 3]}}"#,
            "7",
        );
    Let = control("let", Shape::Bindings)
        .syntax(r#"{"let": [["x", t], ["y", u]], "in": b}"#)
        .doc("Names values; each sees the earlier ones.")
        .example(
            r#"{"let": [["x", 2], ["y", {"mul": [{"var": "x"}, 3]}]], "in": {"add": [{"var": "x"}, {"var": "y"}]}}"#,
            "8",
        );
    Letrec = control("letrec", Shape::Functions)
        .visit(OUTSIDE)
        .syntax(r#"{"letrec": [["f", {"lam": "x", "body": t}], …], "in": b}"#)
        .doc("Names functions; each sees itself and all the others.")
        .example(
            r#"{"letrec": [["sum", {"lam": "n", "body": {"if": {"cond": {"lte": [{"var": "n"}, 0]}, "then": 0, "else": {"add": [{"var": "n"}, {"app": {"func": {"var": "sum"}, "arg": {"sub": [{"var": "n"}, 1]}}}]}}}}]], "in": {"app": {"func": {"var": "sum"}, "arg": 4}}}"#,
            "10",
        );
    Apply = control("apply", exactly(2))
        .takes(&[FUNCTION, LIST, ANY]).visit(OUTSIDE).work(STEP).apart()
        .syntax(r#"{"apply": [f, [a, …]]}"#)
        .doc("Applies a function to as many of the arguments as it has parameters; the others are left out. No arguments are one null.")
        .example(r#"{"apply": [{"lam": "x", "body": {"mul": [{"var": "x"}, 2]}}, [21, 0]]}"#, "42");
}
