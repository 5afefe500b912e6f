//! Terms, tools and effects.

use crate::form::{BARE, Bare, Shape, between, builtin, control, exactly, hole, operation};
use crate::kinds::{LIST, QUOTED, RECORD, RECORD_OR_NULL, STRING};
use crate::prices::{JUMPER, MAKE, MAKER, OUTSIDE, READER, TEXT};

rows! { $ meta:
    SelfRef = control("self", Shape::Ignored)
        .original()
        .syntax(r#"{"self": true}"#)
        .doc("The tool's or the submitted function that contains this, for recursion.")
        .example(r#"{"quote": {"self": true}}"#, r#"{"self":null}"#);
    Quote = control("quote", BARE)
        .original().gives(QUOTED).work(MAKE)
        .syntax(r#"{"quote": t}"#)
        .doc("The term itself, unevaluated.")
        .example(r#"{"quote": {"add": [1, 2]}}"#, r#"{"add":[1,2]}"#);
    Eval = operation("eval", BARE)
        .original().takes(&[QUOTED])
        .syntax(r#"{"eval": q}"#)
        .doc("Evaluates a quoted term with the variables visible here.")
        .example(r#"{"eval": {"quote": {"add": [1, 2]}}}"#, "3");
    CodeOf = operation("code_of", BARE)
        .original().takes(&[STRING]).gives(QUOTED).visit(JUMPER)
        .syntax(r#"{"code_of": "tool"}"#)
        .doc("The source of a tool as a quoted term; \"self\" is the running tool.")
        .example(r#"{"quote": {"code_of": "square"}}"#, r#"{"code_of":"square"}"#);
    Tool = operation("tool", BARE)
        .takes(&[STRING]).visit(JUMPER)
        .syntax(r#"{"tool": "name"}"#)
        .doc("The function of another tool.")
        .example(r#"{"quote": {"tool": "square"}}"#, r#"{"tool":"square"}"#);
    Trace = operation("trace", exactly(2))
        .work(MAKE).subject(1)
        .syntax(r#"{"trace": [label, t]}"#)
        .doc("The value of `t`; writes `label: value` to the trace of the run.")
        .example(r#"{"trace": ["sum", {"add": [1, 2]}]}"#, "3");
    Call = builtin("call", Shape::Named(&["tool", "args", "options"]))
        .takes(&[STRING, RECORD_OR_NULL, RECORD]).visit(READER).work(TEXT)
        .syntax(r#"{"call": {"tool": "UPSTREAM.TOOL", "args": t, "options"?: t}}"#)
        .doc("The value of a tool of another MCP server; with the option `raw` true the whole result.")
        .example(
            r#"{"quote": {"call": {"tool": "github.search_issues", "args": {"record": {"query": "bug"}}}}}"#,
            r#"{"call":{"args":{"record":{"query":"bug"}},"tool":"github.search_issues"}}"#,
        );
    Calls = builtin("calls", between(1, 2).or_bare(Bare::Written))
        .takes(&[LIST, RECORD]).gives(LIST).visit(READER).work(TEXT).apart()
        .syntax(r#"{"calls": [list, options?]}"#)
        .doc("What came of several calls at once, of records `{tool, args, options?}`, in their order; at most `at_most` at a time. With `all` true the values themselves, and the first failure is a fault.")
        .example(r#"{"calls": [[], {"record": {"at_most": 4}}]}"#, "[]");
    Perform = builtin("perform", Shape::MembersOr(&["capability", "args", "options"]))
        .takes(&[STRING, RECORD_OR_NULL, RECORD]).visit(READER).work(TEXT)
        .syntax(r#"{"perform": {"capability": name, "args": t, "options"?: t}}"#)
        .doc("As `call`, with a computed name.")
        .example(
            r#"{"quote": {"perform": {"capability": {"var": "tool"}, "args": null}}}"#,
            r#"{"perform":{"args":null,"capability":{"var":"tool"}}}"#,
        );
    Unquote = hole("unquote", BARE)
        .syntax(r#"{"unquote": t}"#)
        .doc("Inside `quote`: the value of t takes its place.")
        .example(r#"{"quote": {"add": [{"unquote": {"mul": [2, 3]}}, 1]}}"#, r#"{"add":[6,1]}"#);
    TermToData = builtin("term_to_data", BARE)
        .takes(&[QUOTED]).visit(OUTSIDE)
        .syntax(r#"{"term_to_data": q}"#)
        .doc("A quoted term as plain data.")
        .example(r#"{"get_in": [{"term_to_data": {"quote": {"add": [1, 2]}}}, ["add", 0]]}"#, "1");
    DataToTerm = builtin("data_to_term", BARE)
        .gives(QUOTED).visit(OUTSIDE)
        .syntax(r#"{"data_to_term": d}"#)
        .doc("Plain data as a quoted term.")
        .example(r#"{"eval": {"data_to_term": {"json_parse": "{\"add\": [1, 2]}"}}}"#, "3");
    Analyze = operation("analyze", between(1, 1).or_bare(Bare::Read))
        .takes(&[QUOTED]).gives(RECORD).visit(MAKER).work(MAKE)
        .syntax(r#"{"analyze": q}"#)
        .doc("How often each form occurs in a quoted term, as a record.")
        .example(r#"{"analyze": {"quote": {"add": [{"var": "x"}, 1]}}}"#, r#"{"add":1,"var":1}"#);
    TypeOf = builtin("type_of", BARE)
        .gives(STRING).visit(OUTSIDE)
        .syntax(r#"{"type_of": a}"#)
        .doc("A value's type: null, boolean, integer, float, string, list, pair, record, map, set, function, quoted or continuation.")
        .example(r#"{"type_of": {"pair": [1, 2]}}"#, r#""pair""#);
}
