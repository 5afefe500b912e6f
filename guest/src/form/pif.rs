//! The forms of the original calculus.

use super::{Form, Row, Shape, row};

const PAIR: Shape = Shape::Operands(2);
const MORE: Shape = Shape::AtLeast(2);
const BARE: Shape = Shape::Operand;
const LAMBDA: &str = "lambda";
const ARITHMETIC: &str = "arithmetic";
const COMPARISON: &str = "comparison";
const LOGIC: &str = "logic";
const CONTROL: &str = "control";
const LISTS: &str = "lists";
const PAIRS: &str = "pairs";
const STRINGS: &str = "strings";
const META: &str = "meta";

/// The rows, in order.
pub(super) const ROWS: &[Row] = &[
    row(
        ("var", Form::Var, LAMBDA, Shape::Name),
        r#"{"var": "x"}"#,
        "The value of a variable.",
        (r#"{"let": [["x", 5]], "in": {"var": "x"}}"#, "5"),
    ),
    row(
        ("lam", Form::Lam, LAMBDA, Shape::Lambda),
        r#"{"lam": "x", "body": t} or {"lam": ["x", "y"], "body": t}"#,
        "A function. Several parameters are taken one by one.",
        (
            r#"{"app": {"func": {"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}, "arg": 7}}"#,
            "49",
        ),
    ),
    row(
        ("app", Form::App, LAMBDA, Shape::Application),
        r#"{"app": {"func": f, "arg": a}} or {"app": {"func": f, "args": [a, b]}}"#,
        "Applies a function.",
        (
            r#"{"app": {"func": {"lam": ["x", "y"], "body": {"sub": [{"var": "x"}, {"var": "y"}]}}, "args": [10, 3]}}"#,
            "7",
        ),
    ),
    row(
        ("add", Form::Add, ARITHMETIC, MORE),
        r#"{"add": [a, b, …]}"#,
        "Sum of two or more numbers. Integers are exact, of any size.",
        (r#"{"add": [9223372036854775807, 1]}"#, "9223372036854775808"),
    ),
    row(
        ("sub", Form::Sub, ARITHMETIC, PAIR),
        r#"{"sub": [a, b]}"#,
        "Difference of two numbers.",
        (r#"{"sub": [10, 3]}"#, "7"),
    ),
    row(
        ("mul", Form::Mul, ARITHMETIC, MORE),
        r#"{"mul": [a, b, …]}"#,
        "Product of two or more numbers.",
        (r#"{"mul": [6, 7]}"#, "42"),
    ),
    row(
        ("div", Form::Div, ARITHMETIC, PAIR),
        r#"{"div": [a, b]}"#,
        "Quotient of two numbers; of two integers rounded down.",
        (r#"{"div": [-7, 2]}"#, "-4"),
    ),
    row(
        ("mod", Form::Mod, ARITHMETIC, PAIR),
        r#"{"mod": [a, b]}"#,
        "Exact remainder; it has the sign of the divisor.",
        (r#"{"mod": [-7, 2]}"#, "1"),
    ),
    row(
        ("eq", Form::Eq, COMPARISON, PAIR),
        r#"{"eq": [a, b]}"#,
        "Whether two values are equal, down to their parts.",
        (r#"{"eq": [[1, "a"], [1, "a"]]}"#, "true"),
    ),
    row(
        ("lt", Form::Lt, COMPARISON, PAIR),
        r#"{"lt": [a, b]}"#,
        "Less than: two numbers or two texts.",
        (r#"{"lt": [2, 10]}"#, "true"),
    ),
    row(
        ("gt", Form::Gt, COMPARISON, PAIR),
        r#"{"gt": [a, b]}"#,
        "Greater than.",
        (r#"{"gt": ["b", "a"]}"#, "true"),
    ),
    row(
        ("lte", Form::Lte, COMPARISON, PAIR),
        r#"{"lte": [a, b]}"#,
        "Less than or equal.",
        (r#"{"lte": [3, 3]}"#, "true"),
    ),
    row(
        ("gte", Form::Gte, COMPARISON, PAIR),
        r#"{"gte": [a, b]}"#,
        "Greater than or equal.",
        (r#"{"gte": [2, 3]}"#, "false"),
    ),
    row(
        ("and", Form::And, LOGIC, MORE),
        r#"{"and": [a, b, …]}"#,
        "Whether all are true; stops at the first that is not.",
        (r#"{"and": [true, {"lt": [1, 2]}]}"#, "true"),
    ),
    row(
        ("or", Form::Or, LOGIC, MORE),
        r#"{"or": [a, b, …]}"#,
        "Whether any is true; stops at the first that is.",
        (r#"{"or": [false, true]}"#, "true"),
    ),
    row(
        ("not", Form::Not, LOGIC, BARE),
        r#"{"not": a}"#,
        "The opposite.",
        (r#"{"not": false}"#, "true"),
    ),
    row(
        ("if", Form::If, CONTROL, Shape::Members(&["cond", "then", "else"])),
        r#"{"if": {"cond": c, "then": t, "else": e}}"#,
        "One of two terms; only that one is evaluated.",
        (r#"{"if": {"cond": {"gt": [3, 2]}, "then": "yes", "else": "no"}}"#, r#""yes""#),
    ),
    row(
        ("nil", Form::Nil, LISTS, Shape::Ignored),
        r#"{"nil": true}"#,
        "The empty list, like [].",
        (r#"{"nil": true}"#, "[]"),
    ),
    row(
        ("cons", Form::Cons, LISTS, Shape::Members(&["head", "tail"])),
        r#"{"cons": {"head": h, "tail": l}}"#,
        "The list that begins with `h` and goes on with the list `l`.",
        (r#"{"cons": {"head": 1, "tail": [2, 3]}}"#, "[1,2,3]"),
    ),
    row(
        ("head", Form::Head, LISTS, BARE),
        r#"{"head": l}"#,
        "First element of a list.",
        (r#"{"head": [1, 2]}"#, "1"),
    ),
    row(
        ("tail", Form::Tail, LISTS, BARE),
        r#"{"tail": l}"#,
        "All elements but the first.",
        (r#"{"tail": [1, 2]}"#, "[2]"),
    ),
    row(
        ("isEmpty", Form::IsEmpty, LISTS, BARE),
        r#"{"isEmpty": l}"#,
        "Whether a list has no elements.",
        (r#"{"isEmpty": []}"#, "true"),
    ),
    row(
        ("length", Form::Length, LISTS, BARE),
        r#"{"length": l}"#,
        "Elements of a list, or characters (code points) of a text.",
        (r#"{"length": "häh"}"#, "3"),
    ),
    row(
        ("pair", Form::Pair, PAIRS, PAIR),
        r#"{"pair": [a, b]}"#,
        "Two values as one.",
        (r#"{"pair": [1, "a"]}"#, r#"{"pair":[1,"a"]}"#),
    ),
    row(
        ("fst", Form::Fst, PAIRS, BARE),
        r#"{"fst": p}"#,
        "First half of a pair.",
        (r#"{"fst": {"pair": [1, 2]}}"#, "1"),
    ),
    row(
        ("snd", Form::Snd, PAIRS, BARE),
        r#"{"snd": p}"#,
        "Second half of a pair.",
        (r#"{"snd": {"pair": [1, 2]}}"#, "2"),
    ),
    row(
        ("concat", Form::Concat, STRINGS, MORE),
        r#"{"concat": [a, b, …]}"#,
        "Two or more texts joined.",
        (r#"{"concat": ["foo", "bar"]}"#, r#""foobar""#),
    ),
    row(
        ("self", Form::SelfRef, META, Shape::Ignored),
        r#"{"self": true}"#,
        "The function of the tool, or the function submitted, in which this stands, for recursion.",
        (r#"{"quote": {"self": true}}"#, r#"{"self":null}"#),
    ),
    row(
        ("continue", Form::Continue, CONTROL, Shape::Members(&["input"])),
        r#"{"continue": {"input": t}}"#,
        "Ends this step of the tool; the next one is a new run with that input.",
        (r#"{"quote": {"continue": {"input": 1}}}"#, r#"{"continue":{"input":1}}"#),
    ),
    row(
        ("fold", Form::Fold, LISTS, Shape::Operands(3)),
        r#"{"fold": [f, init, list]}"#,
        "Reduces a list from the left: `f` gets one pair (accumulator, item).",
        (
            r#"{"fold": [{"lam": "p", "body": {"add": [{"fst": {"var": "p"}}, {"snd": {"var": "p"}}]}}, 0, [1, 2, 3]]}"#,
            "6",
        ),
    ),
    row(
        ("quote", Form::Quote, META, BARE),
        r#"{"quote": t}"#,
        "The term itself, unevaluated.",
        (r#"{"quote": {"add": [1, 2]}}"#, r#"{"add":[1,2]}"#),
    ),
    row(
        ("eval", Form::Eval, META, BARE),
        r#"{"eval": q}"#,
        "Evaluates a quoted term; it sees the variables of this place.",
        (r#"{"eval": {"quote": {"add": [1, 2]}}}"#, "3"),
    ),
    row(
        ("code_of", Form::CodeOf, META, BARE),
        r#"{"code_of": "tool"}"#,
        "The source of a tool as a quoted term; \"self\" is the running tool.",
        (r#"{"quote": {"code_of": "square"}}"#, r#"{"code_of":"square"}"#),
    ),
];
