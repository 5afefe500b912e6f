//! Terms, tools and effects.

use crate::form::{BARE, Bare, Shape, between, builtin, control, exactly, hole, operation};
use crate::kinds::{FUNCTION, LIST, NULL, QUOTED, RECORD, RECORD_OR_NULL, STRING};
use crate::prices::{JUMPER, MAKE, MAKER, OTHER, OUTSIDE, READER, TEXT};
use crate::typing::{INT, TXT, Type};

const CALLED: &str = "the units of the name of the tool; arguments as `json_text`; 1 per option, and the units of \
        its name; the value as `json_parse`; the units of reason and message of a failure";
const GRANTED: &str = "See [Calls of other servers](#calls-of-other-servers). The command line and `evaluate` grant \
        none: `capability-denied`.";

rows! { $ meta:
    SelfRef = control("self", Shape::Ignored)
        .original(28)
        .own(&[], Type::Of(FUNCTION))
        .syntax(r#"{"self": true}"#)
        .doc("The tool's or the submitted function that contains this, for recursion.")
        .example(r#"{"quote": {"self": true}}"#, r#"{"self":null}"#);
    Quote = control("quote", BARE)
        .original(31).gives(QUOTED)
        .work(MAKE, "with holes, the weight of the term that it gives; the unquoted terms are \
            visited")
        .own(&[Type::Any], Type::Of(QUOTED))
        .syntax(r#"{"quote": t}"#)
        .doc("The term itself, unevaluated.")
        .details(&[
            "A quoted term is parsed like any other.",
            "With holes, it evaluates its unquoted terms from left to right, and gives the term \
                with the values in place. A quoted term goes in as it is, any other value as the \
                literal that evaluates to it. A function or a continuation, also one deep in a \
                value, is `type-mismatch` at the unquoted term. An inner quote keeps its own \
                unquotes until it is evaluated itself.",
            "The term that comes out is a plain quote, even if it is nothing but the source of a \
                tool: `self` in it is `outside-tool`, and a fault in it points to the `eval`.",
        ])
        .example(r#"{"quote": {"add": [1, 2]}}"#, r#"{"add":[1,2]}"#);
    Eval = operation("eval", BARE)
        .original(32).takes(&[QUOTED]).work(OTHER, "the weight of the quoted term, each time")
        .own(&[Type::Of(QUOTED)], Type::Any)
        .syntax(r#"{"eval": q}"#)
        .doc("Evaluates a quoted term with the variables visible here.")
        .example(r#"{"eval": {"quote": {"add": [1, 2]}}}"#, "3");
    CodeOf = operation("code_of", BARE)
        .original(33).takes(&[STRING]).gives(QUOTED).visit(JUMPER)
        .own(&[TXT], Type::Of(QUOTED))
        .syntax(r#"{"code_of": "tool"}"#)
        .doc("The source of a tool as a quoted term; \"self\" is the running tool.")
        .example(r#"{"quote": {"code_of": "square"}}"#, r#"{"code_of":"square"}"#);
    Tool = operation("tool", BARE)
        .takes(&[STRING]).visit(JUMPER)
        .own(&[TXT], Type::Any)
        .syntax(r#"{"tool": "name"}"#)
        .doc("The function of another tool.")
        .example(r#"{"quote": {"tool": "square"}}"#, r#"{"tool":"square"}"#);
    Trace = operation("trace", exactly(2))
        .subject(1).work(MAKE, "256 for each of the 100 lines that a run keeps")
        .own(&[Type::Any, Type::A], Type::A)
        .syntax(r#"{"trace": [label, t]}"#)
        .doc("The value of `t`; writes `label: value` to the trace of the run.")
        .details(&[
            "The label is any value. A run keeps 100 lines. A label and a value are cut at about \
                200 bytes each. Of a text whose beginning was joined to something more than 1,024 \
                times only the size is shown; messages show such a text so too.",
        ])
        .example(r#"{"trace": ["sum", {"add": [1, 2]}]}"#, "3");
    Call = control("call", Shape::Named(&["tool", "args", "options"]))
        .takes(&[STRING, RECORD_OR_NULL, RECORD]).visit(READER).application(OTHER)
        .work(TEXT, CALLED)
        .own(&[TXT, Type::Of(RECORD | NULL), Type::Of(RECORD)], Type::Any)
        .syntax(r#"{"call": {"tool": "UPSTREAM.TOOL", "args": t, "options"?: t}}"#)
        .doc("The value of a tool of another MCP server; with the option `raw` true the whole \
            result.")
        .details(&[GRANTED])
        .example(
            r#"{"quote": {"call": {"tool": "github.search_issues", "args": {"record": {"query": "bug"}}}}}"#,
            r#"{"call":{"args":{"record":{"query":"bug"}},"tool":"github.search_issues"}}"#,
        );
    Calls = control("calls", between(1, 2).or_bare(Bare::Written))
        .takes(&[LIST, RECORD]).gives(LIST).visit(READER).application(OTHER).apart()
        .work(TEXT, "1 per call and per answer, and that of `call` for each; 1 per option, and the \
            units of its name")
        .own(&[Type::List(&Type::Of(RECORD)), Type::Of(RECORD)], Type::Of(LIST))
        .syntax(r#"{"calls": [list, options?]}"#)
        .doc("What came of several calls at once, of records `{tool, args, options?}`, in their \
            order; at most `at_most` at a time. With `all` true the values themselves, and the \
            first failure is a fault.")
        .details(&[GRANTED])
        .example(r#"{"calls": [[], {"record": {"at_most": 4}}]}"#, "[]");
    Perform = control("perform", Shape::MembersOr(&["capability", "args", "options"]))
        .takes(&[STRING, RECORD_OR_NULL, RECORD]).visit(READER).application(OTHER)
        .work(TEXT, CALLED)
        .own(&[TXT, Type::Of(RECORD | NULL), Type::Of(RECORD)], Type::Any)
        .syntax(r#"{"perform": {"capability": name, "args": t, "options"?: t}}"#)
        .doc("As `call`, with a computed name.")
        .details(&[GRANTED])
        .example(
            r#"{"quote": {"perform": {"capability": {"var": "tool"}, "args": null}}}"#,
            r#"{"perform":{"args":null,"capability":{"var":"tool"}}}"#,
        );
    Unquote = hole("unquote", BARE)
        .own(&[Type::Any], Type::Any)
        .syntax(r#"{"unquote": t}"#)
        .doc("Inside `quote`: the value of t takes its place.")
        .details(&[
            "It belongs to the innermost quote around it that no other `unquote` has left again, \
                as in Scheme. Where there is none it is `malformed`.",
        ])
        .example(r#"{"quote": {"add": [{"unquote": {"mul": [2, 3]}}, 1]}}"#, r#"{"add":[6,1]}"#);
    TermToData = builtin("term_to_data", BARE)
        .takes(&[QUOTED]).visit(OUTSIDE).work(OTHER, "the weight of the term")
        .typed(&[Type::Of(QUOTED)], Type::Any)
        .syntax(r#"{"term_to_data": q}"#)
        .doc("A quoted term as plain data.")
        .details(&[
            "It gives the canonical JSON of a term as data, in which a float is `{\"float\":x}`.",
        ])
        .example(r#"{"get_in": [{"term_to_data": {"quote": {"add": [1, 2]}}}, ["add", 0]]}"#, "1");
    DataToTerm = builtin("data_to_term", BARE)
        .gives(QUOTED).visit(OUTSIDE).work(OTHER, "the weight of the data")
        .typed(&[Type::Deep], Type::Of(QUOTED))
        .syntax(r#"{"data_to_term": d}"#)
        .doc("Plain data as a quoted term.")
        .details(&[
            "Data is read as code: a float in it is a float, a pair the form `pair`, and a quoted \
                term stands for itself. Data that is no term has the fault that it would have as \
                code (`malformed`, `unknown-form`), at the `data_to_term`; the message says where \
                in the data.",
        ])
        .example(r#"{"eval": {"data_to_term": {"json_parse": "{\"add\": [1, 2]}"}}}"#, "3");
    Analyze = operation("analyze", between(1, 1).or_bare(Bare::Read))
        .takes(&[QUOTED]).gives(RECORD).visit(MAKER).work(MAKE, "1 per node of the quoted term")
        .typed(&[Type::Of(QUOTED)], Type::Dictionary(&INT))
        .syntax(r#"{"analyze": q}"#)
        .doc("How often each form occurs in a quoted term, as a record.")
        .example(r#"{"analyze": {"quote": {"add": [{"var": "x"}, 1]}}}"#, r#"{"add":1,"var":1}"#);
    TypeOf = builtin("type_of", BARE)
        .gives(STRING).visit(OUTSIDE)
        .own(&[Type::Any], TXT)
        .syntax(r#"{"type_of": a}"#)
        .doc("A value's type: null, boolean, integer, float, string, list, pair, record, map, set, \
            function, quoted or continuation.")
        .details(&[
            "Null is `\"null\"`, as messages and `describe` do. When `eq` compares the type with a \
                literal text that names no type, such as `\"unit\"` or `\"number\"`, the warning \
                is `likely-mistake`.",
        ])
        .example(r#"{"type_of": {"pair": [1, 2]}}"#, r#""pair""#);
}
