//! The command line: what it prints, where, and the code it exits with.

use super::client::{Client, command};
use super::folder::Folder;
use super::kept::{self, Printed};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::fs;

fn execute(arguments: &[&str], input: &str) -> Result<Printed> {
    execute_with(arguments, input, &[])
}

fn execute_with(arguments: &[&str], input: &str, variables: &[(&str, &str)]) -> Result<Printed> {
    let folder = Folder::new()?;
    let mut command = command(&folder)?;
    command.args(arguments).envs(variables.iter().copied());
    kept::execute(command, input)
}

const DOUBLE: &str = r#"{"lam":"x","body":{"mul":[{"var":"x"},2]}}"#;

#[test]
fn run_prints_the_value() -> Result<()> {
    for (arguments, value) in [
        (&["run", r#"{"add":[1,2]}"#][..], "3"),
        (&["run", DOUBLE, "21"], "42"),
        (&["run", DOUBLE, "--data", "21"], "42"),
        (&["run", r#"{"lam":"x","body":{"var":"x"}}"#, "hello"], "hello"),
        (
            &["run", r#"{"lam":"x","body":{"var":"x"}}"#, "--data", r#"{"b":1,"a":2}"#],
            r#"{"b":1,"a":2}"#,
        ),
        (&["run", r#"{"mul":[{"var":"n"},{"var":"n"}]}"#, "--context", r#"{"n":7}"#], "49"),
        (&["run", "99999999999999999999999"], "99999999999999999999999"),
    ] {
        let printed = execute(arguments, "")?;
        assert_eq!(printed.output, format!("{value}\n"), "{arguments:?}: {printed:?}");
        assert_eq!((printed.code, printed.errors.as_str()), (Some(0), ""), "{arguments:?}");
    }
    Ok(())
}

/// What tools on Windows write: a byte order mark is passed over, UTF-16 is told by its name.
#[test]
fn files_of_other_encodings_are_read_or_told() -> Result<()> {
    let folder = Folder::new()?;
    let file = |name: &str, bytes: &[u8]| -> Result<String> {
        let path = folder.path().join(name);
        fs::write(&path, bytes)?;
        Ok(format!("@{}", path.display()))
    };
    let marked = |text: &str| [b"\xef\xbb\xbf", text.as_bytes()].concat();
    let code = file("code.json", &marked(DOUBLE))?;
    let number = file("number.json", &marked("21\r\n"))?;
    let context = file("context.json", &marked(r#"{"n":42}"#))?;
    let schema = file("schema.json", &marked(r#"{"type":"integer"}"#))?;
    for arguments in [
        &["run", code.as_str(), number.as_str()][..],
        &["run", &code, "--data", &number],
        &["run", r#"{"var":"n"}"#, "--context", &context],
        &["run", "42", "--output-schema", &schema],
    ] {
        let printed = execute(arguments, "")?;
        assert_eq!(
            (printed.output.as_str(), printed.errors.as_str()),
            ("42\n", ""),
            "{arguments:?}"
        );
    }
    let wide: Vec<u8> = "\u{feff}21".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let wide = file("wide.json", &wide)?;
    let latin = file("latin.json", b"\"caf\xe9\"")?;
    for (arguments, words) in [
        (&["run", wide.as_str()][..], "it is UTF-16: write it as UTF-8"),
        (&["run", &code, "--data", &wide], "it is UTF-16: write it as UTF-8"),
        (&["import", &wide[1..], "--ephemeral"], "it is UTF-16: write it as UTF-8"),
        (&["check", &latin], "it is not UTF-8: the byte at position 4"),
    ] {
        let printed = execute(arguments, "")?;
        ensure!(printed.code == Some(1) && printed.errors.contains(words), "{printed:?}");
    }
    Ok(())
}

#[test]
fn arguments_come_from_files_and_standard_input() -> Result<()> {
    let folder = Folder::new()?;
    let path = folder.path().join("double.json");
    fs::write(&path, DOUBLE)?;
    let file = format!("@{}", path.display());
    for (arguments, input) in [
        (&["run", file.as_str(), "21"][..], ""),
        (&["run", "-", "21"], DOUBLE),
        (&["run", file.as_str(), "-"], "21"),
        (&["run", file.as_str(), "--data", "-"], " 21\n"),
    ] {
        let printed = execute(arguments, input)?;
        assert_eq!(printed.output, "42\n", "{arguments:?}: {printed:?}");
    }
    let printed = execute(&["run", "@/no/such/file"], "")?;
    assert_eq!(printed.code, Some(1));
    assert!(printed.errors.contains("/no/such/file"), "{printed:?}");
    Ok(())
}

#[test]
fn a_fault_goes_to_standard_error() -> Result<()> {
    for (arguments, words) in [
        (&["run", r#"{"add":[1,"a"]}"#][..], "type-mismatch: the second operand of `add`"),
        (&["run", "{"], "unparsable: "),
        (&["run", r#"{"var":"y"}"#], "unbound: "),
        (&["check", r#"{"add":[1]}"#], "malformed: "),
        (&["run", r#"{"add":[1,2]}"#, "--fuel", "2"], "out-of-fuel: "),
        (&["--fuel", "2", "run", r#"{"add":[1,2]}"#], "out-of-fuel: "),
    ] {
        let printed = execute(arguments, "")?;
        assert_eq!((printed.code, printed.output.as_str()), (Some(1), ""), "{arguments:?}");
        assert!(printed.errors.starts_with(words), "{arguments:?}: {printed:?}");
    }
    Ok(())
}

#[test]
fn warnings_and_traces_go_to_standard_error() -> Result<()> {
    let printed = execute(&["run", r#"{"trace":["sum",{"add":[1,3],"sub":[1,1]}]}"#], "")?;
    assert_eq!(printed.output, "4\n");
    assert!(printed.errors.contains("sum: 4\n"), "{printed:?}");
    assert!(printed.errors.contains("warning: ignored-key at /trace/1"), "{printed:?}");
    Ok(())
}

#[test]
fn check_says_what_a_term_is() -> Result<()> {
    let printed = execute(&["check", "-"], DOUBLE)?;
    assert_eq!(printed.code, Some(0));
    for part in ["ok: `lam`", r#"canonical: {"body":{"mul":[{"var":"x"},2]},"lam":"x"}"#] {
        assert!(printed.output.contains(part), "{printed:?}");
    }
    Ok(())
}

#[test]
fn help_names_every_command_and_setting() -> Result<()> {
    let printed = execute(&["--help"], "")?;
    assert_eq!((printed.code, printed.errors.as_str()), (Some(0), ""));
    for part in [
        "run",
        "check",
        "--fuel",
        "MCP_PIF_FUEL",
        "[default: 2G]",
        "--memory",
        "--wall-clock",
        "--max-line",
        "--max-nesting",
        "--concurrency",
        "--queue",
        "--debug",
        "MCP_DEBUG",
        "RUST_LOG",
        "Examples:",
    ] {
        assert!(printed.output.contains(part), "{part} is not in\n{}", printed.output);
    }
    let version = execute(&["--version"], "")?;
    assert!(version.output.starts_with("mcp-pif "), "{version:?}");
    Ok(())
}

#[test]
fn nonsense_stops_the_start() -> Result<()> {
    for (arguments, words) in [
        (&["--fuel", "lots"][..], "--fuel"),
        (&["--fuel", "20G"], "--fuel-ceiling"),
        (&["--wall-clock", "0s"], "--wall-clock"),
        (&["--concurrency", "0"], "--concurrency"),
        (&["--log", "a=b=c"], "--log"),
        (&["--unheard-of"], "--unheard-of"),
        (&["walk"], "walk"),
        (&["run"], "<CODE>"),
        (&["run", "1", "2", "--data", "3"], "--data"),
    ] {
        let printed = execute(arguments, "")?;
        ensure!(printed.code.is_some_and(|code| code > 0), "{arguments:?}: {printed:?}");
        ensure!(printed.output.is_empty(), "{arguments:?}: {printed:?}");
        ensure!(printed.errors.contains(words), "{arguments:?}: {printed:?}");
    }
    let printed = execute_with(&["run", "1"], "", &[("MCP_PIF_FUEL", "many")])?;
    ensure!(printed.code.is_some_and(|code| code > 0), "{printed:?}");
    ensure!(printed.errors.contains("MCP_PIF_FUEL is `many`"), "{printed:?}");
    Ok(())
}

#[test]
fn the_environment_sets_what_flags_do() -> Result<()> {
    let code = r#"{"add":[1,2]}"#;
    let printed = execute_with(&["run", code], "", &[("MCP_PIF_FUEL", "2")])?;
    assert!(printed.errors.starts_with("out-of-fuel"), "{printed:?}");
    let printed = execute_with(&["run", code, "--fuel", "3"], "", &[("MCP_PIF_FUEL", "2")])?;
    assert_eq!(printed.output, "3\n", "a flag goes first: {printed:?}");
    Ok(())
}

#[test]
fn continuations_are_driven() -> Result<()> {
    let code = r#"{"continue":{"input":1}}"#;
    let printed = execute(&["run", code], "")?;
    assert!(printed.errors.starts_with("outside-tool"), "{printed:?}");
    Ok(())
}

/// The steps, the names in the environment, closures, and tools looked up.
fn assert_debug(errors: &str) {
    for part in [
        "eval mul at `/body`",
        "names [x = 21]",
        "value at `/body`",
        "creates a closure",
        "applies a function",
    ] {
        assert!(errors.contains(part), "{part} is not in\n{errors}");
    }
}

#[test]
fn debug_shows_the_evaluation() -> Result<()> {
    let code = format!(r#"{{"app":{{"func":{DOUBLE},"arg":21}}}}"#);
    let by_flag = execute(&["run", &code, "--debug"], "")?;
    let by_variable = execute_with(&["run", &code], "", &[("MCP_DEBUG", "1")])?;
    for printed in [by_flag, by_variable] {
        assert_eq!(printed.output, "42\n");
        assert_debug(&printed.errors.replace("/app/func/body", "/body"));
    }
    let quiet = execute_with(&["run", &code], "", &[("MCP_DEBUG", "0")])?;
    assert_eq!(quiet.errors, "");
    Ok(())
}

/// Steps go to standard error, and the value alone to standard output.
#[test]
fn steps_show_what_terms_came_to() -> Result<()> {
    let all = execute(&["run", "--steps", "n => n * 2 + 1", "--data", "4"], "")?;
    assert_eq!(all.output, "9\n");
    assert_eq!(all.errors, "    n → 4\n  n * 2 → 8\nn * 2 + 1 → 9\n");
    let one = execute(&["run", "--steps=1", "n => n * 2 + 1", "--data", "4"], "")?;
    assert_eq!(one.errors, "    n → 4\n… more steps came (shown: 1)\n");
    Ok(())
}

#[test]
fn debug_of_a_session_goes_to_standard_error_only() -> Result<()> {
    let mut client = Client::legacy_with(&["--debug"])?;
    client.evolve("double", "Doubles", &serde_json::from_str(DOUBLE)?)?;
    let code = json!({"app": {"func": {"tool": "double"}, "arg": 21}});
    let result = client.call("run", &json!({"code": code}))?;
    assert!(result["structuredContent"].get("evaluation").is_none(), "{result}");
    let ending = client.finish()?;
    assert_debug(&ending.errors);
    assert!(ending.errors.contains("look up tool `double`"), "{}", ending.errors);
    Ok(())
}

/// The first start compiles the evaluator and keeps it; the next one loads it. Without a place
/// to keep it a server works as well.
#[test]
#[ignore = "long"]
fn the_compiled_evaluator_is_kept() -> Result<()> {
    let folder = Folder::new()?;
    let cache = folder.path().join("cache");
    let cache = cache.to_str().context("a path")?;
    for (arguments, compiled) in [
        (&["--cache", cache][..], "compiled at this start and kept"),
        (&["--cache", cache], "loaded as compiled before"),
        (&["--no-cache"], "compiled in memory: there is no cache directory"),
        (&["--cache", "/dev/null/cache"], "compiled in memory: /dev/null/cache"),
    ] {
        let mut client = Client::legacy_with(arguments)?;
        let info = client.call("server_info", &json!({}))?;
        let found = info["structuredContent"]["evaluator"]["compiled"].as_str().unwrap_or_default();
        ensure!(found.starts_with(compiled), "{arguments:?}: {found}");
        assert_eq!(client.text("run", &json!({"code": {"add": [1, 2]}}))?, "3");
    }
    Ok(())
}

#[test]
fn programs_are_taken_in_the_notation_and_formatted() -> Result<()> {
    let folder = Folder::new()?;
    let file = folder.path().join("double.pif");
    fs::write(&file, "x=>x*2\n")?;
    let file = file.to_str().context("a path in UTF-8")?;
    let canonical = r#"{"body":{"mul":[{"var":"x"},2]},"lam":"x"}"#;
    for (arguments, input, printed) in [
        (&["run", "x => x * 2", "21"][..], "", "42"),
        (&["run", "data.map(x => x * 2).sum()", "--data", "[1,2,3]"], "", "12"),
        (&["run", "n ** 2", "--context", r#"{"n":7}"#], "", "49"),
        (&["run", "@std_gcd([12, 18])"], "", "6"),
        (&["fmt", "x=>x*2"], "", "x => x * 2"),
        (&["fmt", DOUBLE], "", "x => x * 2"),
        (&["fmt", file], "", "x => x * 2"),
        (&["fmt", "-"], DOUBLE, "x => x * 2"),
        (&["fmt", "--json", file], "", canonical),
        (&["fmt", "--json", "-"], "x => x * 2", canonical),
        (&["fmt", "@double(2)"], "", "@double(2)"),
    ] {
        let ran = execute(arguments, input)?;
        assert_eq!(ran.output, format!("{printed}\n"), "{arguments:?}: {ran:?}");
        assert_eq!((ran.code, ran.errors.as_str()), (Some(0), ""), "{arguments:?}");
    }
    let told = execute(&["check", "x => x * 2"], "")?.output;
    ensure!(told.contains("\nnotation: x => x * 2\ncanonical: {"), "{told}");
    for command in ["run", "check", "fmt"] {
        let refused = execute(&[command, "[1, 2].map(x =>\n  this.push(1))"], "")?;
        assert_eq!((refused.code, refused.output.as_str()), (Some(1), ""), "{refused:?}");
        for part in ["\nat line 2, column ", "\n  this.push(1))\n", "^\nhint: give the record"] {
            ensure!(refused.errors.contains(part), "{command}: {refused:?}");
        }
    }
    Ok(())
}

/// The patterns of the grammar find all forms and operators that the evaluator has.
/// A check leaves the notation of a long program out; `fmt` does not.
#[test]
fn long_programs_are_written_too() -> Result<()> {
    let item = "\"a text of some length\"";
    let program = format!("[{}]", vec![item; 60_000].join(","));
    let written = execute(&["fmt", "-"], &program)?;
    assert_eq!(written.output.matches(item).count(), 60_000, "{}", written.errors);
    Ok(())
}

#[test]
fn the_grammar_is_made_of_the_evaluators_tables() -> Result<()> {
    let printed = execute(&["grammar"], "")?;
    let grammar: Value = serde_json::from_str(&printed.output).context(printed.errors)?;
    assert_eq!(grammar["scopeName"], "source.pif");
    let patterns = grammar["repository"]["program"]["patterns"].as_array().context("patterns")?;
    let pattern = |name: &str| -> Result<String> {
        let found = patterns.iter().find(|it| it["name"] == name);
        let found = found.and_then(|it| it["match"].as_str()).context(name.to_owned())?;
        let (_, words) = found.split_once("(?:").context("words")?;
        Ok(words.split_once(')').context("words")?.0.to_owned())
    };
    let functions = pattern("support.function.pif")?;
    let functions: Vec<&str> = functions.split('|').collect();
    for form in pif::form::FORMS {
        ensure!(functions.contains(&form.name), "{}", form.name);
    }
    for name in ["groupBy", "toUpperCase", r"Object\.keys"] {
        ensure!(functions.contains(&name), "{name}");
    }
    let operators = pattern("keyword.operator.pif")?;
    for mark in [r"\+", r"\=\=\=", r"\?\?", r"\|\>", r"\=\>"] {
        ensure!(format!("|{operators}|").contains(&format!("|{mark}|")), "{mark} in {operators}");
    }
    ensure!(pattern("keyword.control.pif")?.split('|').any(|word| word == "const"));
    ensure!(pattern("constant.language.pif")?.split('|').any(|word| word == "null"));
    Ok(())
}

#[test]
fn a_program_may_begin_with_a_minus() -> Result<()> {
    for (arguments, output) in [
        (&["run", "-1 + 2"][..], "1"),
        (&["run", "-(3)"], "-3"),
        (&["run", "-[1, 2].sum()", "--fuel", "10k"], "-3"),
        (&["run", "x => x", "-5"], "-5"),
        (&["run", "x => x", "--data", "-5"], "-5"),
        (&["fmt", "-1 + 2"], "-1 + 2"),
    ] {
        let printed = execute(arguments, "")?;
        assert_eq!(printed.output.trim_end(), output, "{arguments:?}: {printed:?}");
    }
    ensure!(execute(&["check", "-1 + 2"], "")?.output.starts_with("ok"));
    // A misspelled option is none of them.
    let printed = execute(&["run", "--fule", "10", "1"], "")?;
    ensure!(printed.code == Some(2) && printed.errors.contains("no such option"), "{printed:?}");
    Ok(())
}

#[test]
fn a_run_is_given_as_much_as_the_flags_say() -> Result<()> {
    let data = format!("\"{}\"", "x".repeat(2 << 20));
    let long = execute(&["run", "data.length", "--data", "-"], &data)?;
    assert_eq!(long.output.trim_end(), (2 << 20).to_string(), "{long:?}");
    let refused = execute(&["run", "data.length", "--data", "-", "--max-data", "1MiB"], &data)?;
    ensure!(refused.errors.contains("too-large") && refused.errors.contains("--max-data 3MiB"));
    let refused = execute(&["run", "1 + 1 + 1", "--max-code", "5"], "")?;
    ensure!(refused.errors.contains("too-large"), "{refused:?}");
    // What does not fit into the memory names the limit to raise, and CSV as data is told to be a text.
    let csv = serde_json::to_string(&"id,name,quantity\n1,some name,2\n".repeat(100_000))?;
    let small =
        execute(&["run", "csv_parse(data).length", "--data", "-", "--memory", "16MiB"], &csv)?;
    ensure!(small.errors.contains("give `memory`"), "{small:?}");
    let plain = execute(&["run", "data", "--data", "-"], "id,name\n1,a\n")?;
    ensure!(plain.errors.contains("CSV stands in quotes"), "{plain:?}");
    Ok(())
}

#[test]
fn proof_check_tells_whether_a_proof_holds() -> Result<()> {
    let after = r#"{"lam":"x","body":{"add":[1,{"var":"x"}]}}"#;
    let proof = |rule: &str| {
        format!(
            r#"{{"equal":[{{"lam":"x","body":{{"add":[{{"var":"x"}},1]}}}},{after}],"steps":[{{"rule":"{rule}",
                "at":[0],"direction":"forward","bindings":{{"a":{{"var":"x"}},"b":1}},"conditions":[],
                "after":{after}}}]}}"#
        )
    };
    let printed = execute(&["proof", "check", "-"], &proof("add-swap"))?;
    assert_eq!(
        (printed.code, printed.output.as_str()),
        (Some(0), "the programs are equal: 1 step holds\n")
    );
    for (text, reason) in [
        (proof("mul-swap"), "step 1: the left side of the rule is not what stands there"),
        ("{}".to_owned(), "this is no proof: `equal` is missing"),
    ] {
        let printed = execute(&["proof", "check", "-"], &text)?;
        assert_eq!(printed.code, Some(1));
        ensure!(printed.errors.contains(reason), "{printed:?}");
    }
    Ok(())
}
