//! What runs tell of programs: `analyze` with another program, with laws and with properties.

use super::client::Client;
use super::kept::Kept;
use anyhow::{Context, Result, ensure};
use pif::request::{Argument, Step};
use pif::{Limits, Machine, Program};
use pif_analysis::equality::Comparison;
use pif_analysis::trial::{Outcome, Property, Run, Tried, Value as Plain, drive};
use pif_analysis::{Request, analyze};
use serde_json::{Value, json};

const SETS: [&str; 2] = ["--toolsets", "core,state,staging,analysis"];

fn record(client: &mut Client, tool: &str, arguments: &Value) -> Result<Value> {
    let told = client.call(tool, arguments)?;
    ensure!(told["isError"] != true, "{tool} {arguments}: {told}");
    Ok(told["structuredContent"].clone())
}

/// Pairs of programs, two in a line.
fn pairs(text: &'static str) -> Result<Vec<(&'static str, &'static str)>> {
    let lines = text.lines().filter(|it| !it.is_empty() && !it.starts_with('#'));
    lines.map(|line| line.rsplit_once(" === ").with_context(|| line.to_owned())).collect()
}

/// Runs natively what a trial asks for, with a tool.
fn evaluate(run: &Run, (name, source): (&str, &str)) -> (Outcome, u64) {
    let program = Program {
        argument: Argument::Unapplied,
        context: Some(format!("{{\"data\":{}}}", run.data)),
        ..Program::term(&*run.code).with_tool(name, source)
    };
    let limits = Limits { fuel: run.fuel, memory: 16 << 20, ..Limits::default() };
    let mut machine = match Machine::start(program, limits) {
        Ok(machine) => machine,
        Err(fault) => return (Outcome::fault(fault.code.name()), 0),
    };
    let outcome = match machine.run_alone() {
        Step::Done(done) => Outcome::value(done.json, done.kind),
        Step::Failed(fault) => Outcome::fault(fault.code.name()),
        _ => Outcome::Nothing,
    };
    (outcome, machine.usage().fuel)
}

/// The arguments of a counterexample that a native trial has found.
fn arguments(tried: &Tried) -> Option<Value> {
    let found = tried.counterexample.as_ref()?;
    serde_json::from_str(&Plain::List(found.arguments.clone()).json()).ok()
}

/// An outcome of the server's own run, as `analyze` tells outcomes.
fn outcome(client: &mut Client, code: &str, data: &Value) -> Result<Value> {
    let code = format!("apply({code}, data)");
    let told = client.call("run", &json!({"code": code, "data": data}))?;
    let record = &told["structuredContent"];
    Ok(match told["isError"] == true {
        true => json!({"fault": record["code"]}),
        // A number that clients might round is told as a text.
        false if record["value"].is_null() && record["exact"].is_string() => {
            json!({"exact": record["exact"]})
        }
        false => json!({"value": record["value"]}),
    })
}

#[test]
fn equal_programs_have_a_proof_that_the_checker_accepts() -> Result<()> {
    let mut client = Client::legacy_with(&SETS)?;
    let pairs = pairs(include_str!("../../../guest/analysis/src/equality/equal.txt"))?;
    let mut left = Vec::new();
    for (first, second) in &pairs {
        let told = record(&mut client, "analyze", &json!({"code": first, "against": second}))?;
        let equality = &told["equality"];
        ensure!(told["type"].is_null(), "{told}");
        if equality["verdict"] != "equal" {
            ensure!(equality["verdict"] == "unknown", "{first} === {second}: {equality}");
            left.push(*first);
            continue;
        }
        let proof = pif_proof::Proof::read(&equality["proof"].to_string());
        let proof = proof.map_err(anyhow::Error::msg)?;
        assert_eq!(pif_proof::check(&proof), Ok(()), "{first} === {second}");
    }
    ensure!(pairs.len() >= 60 && left.len() <= 4, "{left:#?}");
    Ok(())
}

#[test]
fn different_programs_have_an_input_that_shows_it() -> Result<()> {
    let mut client = Client::legacy_with(&SETS)?;
    let pairs = pairs(include_str!("../../../guest/analysis/src/equality/different.txt"))?;
    let mut left = Vec::new();
    for (first, second) in &pairs {
        let told = record(&mut client, "analyze", &json!({"code": first, "against": second}))?;
        let equality = &told["equality"];
        // The evaluator, natively, comes to the same input.
        let request = |code| Request { code, ..Request::default() };
        let read = Comparison::read(&request(first), &request(second));
        let read = read.map_err(|fault| anyhow::Error::msg(fault.message))?;
        let each =
            read.trials().into_iter().map(|it| drive(it, |run| evaluate(run, ("none", "0"))));
        let native = each.filter_map(|it| arguments(&it)).next();
        if equality["verdict"] != "different" {
            assert_eq!(native, None, "{first} === {second}: {equality}");
            left.push(*first);
            continue;
        }
        let args = match equality["args_exact"].as_str() {
            Some(exact) => serde_json::from_str(exact)?,
            None => equality["args"].clone(),
        };
        assert_eq!(Some(&args), native.as_ref(), "{first} === {second}");
        for (index, code) in [first, second].into_iter().enumerate() {
            if code.contains("=>") {
                let seen = outcome(&mut client, code, &args)?;
                assert_eq!(equality["outcomes"][index], seen, "{code}: {equality}");
            }
        }
    }
    ensure!(pairs.len() >= 40 && left.len() <= 2, "{left:#?}");
    Ok(())
}

#[test]
fn a_name_stands_for_the_source_of_its_tool() -> Result<()> {
    let mut client = Client::legacy_with(&SETS)?;
    client.evolve("twice", "", &json!("x => { const y = x * 2; return y; }"))?;
    for about in [
        json!({"tool": "twice", "against": "x => x * 2"}),
        json!({"code": "x => x * 2", "against": "@twice"}),
    ] {
        let told = record(&mut client, "analyze", &about)?;
        assert_eq!(told["equality"]["verdict"], "equal", "{told}");
    }
    let unknown = json!({"code": "x => @twice(x)", "against": "x => @twice(@twice(x) / 2)"});
    let told = record(&mut client, "analyze", &unknown)?;
    ensure!(told["equality"]["verdict"] != "equal", "{told}");
    // A program that calls others says nothing when it is tried.
    let others = json!({"code": "x => shop.price({x})", "against": "x => shop.price({x: x})"});
    let told = record(&mut client, "analyze", &others)?;
    assert_eq!(told["equality"]["verdict"], "unknown", "{told}");
    assert_eq!(told["equality"]["tried"]["inputs"], 0, "{told}");
    ensure!(told["equality"]["no_proof"].is_string(), "{told}");
    assert_eq!(
        client.fault("analyze", &json!({"code": "1", "against": "@twic"}))?["code"],
        "unknown-tool"
    );
    assert_eq!(
        client.fault("analyze", &json!({"code": "1", "against": "1 +"}))?["code"],
        "unparsable"
    );
    Ok(())
}

#[test]
fn laws_are_proved_tested_or_refuted() -> Result<()> {
    let mut client = Client::legacy_with(&SETS)?;
    client.evolve("product", "", &json!("(a, b) => a * b"))?;
    for (about, expected) in [
        (
            json!({"tool": "product"}),
            "associative refuted, commutative proved, idempotent refuted, total refuted",
        ),
        (
            json!({"code": "(a, b) => a && b"}),
            "associative tested, commutative refuted, idempotent tested, total proved",
        ),
        (
            json!({"code": "s => s.trim()"}),
            "idempotent proved, order-preserving refuted, total proved",
        ),
        (json!({"code": "b => b ? 1 : self(!b)"}), "idempotent tested, total tested"),
        (json!({"code": "1 + 1"}), ""),
        (json!({"code": "x => shop.price({x})"}), "idempotent unknown, total unknown"),
    ] {
        let mut asked = about.clone();
        asked["ask"] = json!(["laws"]);
        let told = record(&mut client, "analyze", &asked)?;
        let laws = told["laws"].as_array().context("laws")?;
        let each = laws.iter().map(|it| format!("{} {}", text(&it["law"]), text(&it["verdict"])));
        assert_eq!(each.collect::<Vec<_>>().join(", "), expected, "{about}");
        for law in laws {
            ensure!(
                law["verdict"] != "refuted"
                    || law["args"].is_array()
                    || law["args_exact"].is_string(),
                "{law}"
            );
            let is_proved = law["proof"].is_object() || law["derivation"].is_object();
            assert_eq!(law["verdict"] == "proved", is_proved, "{law}");
        }
    }
    Ok(())
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Tools with a property each, and the smallest counterexample; none if the property holds.
const PROPERTIES: [(&str, &str, Option<&str>); 10] = [
    ("xs => xs.distinct()", "xs => @self(xs).length == xs.length", Some("[[null,null]]")),
    ("(a, b) => a * 2 - b", "(a, b) => @self(a, b) == @self(b, a)", Some("[0,1]")),
    ("n => n > 12345 ? n + 1 : n", "n => @self(n) == n", Some("[12346]")),
    ("s => s.upper().lower()", "s => @self(s) == s", Some("[\"A\"]")),
    ("xs => xs.sum()", "xs => @self(xs) < 500", Some("[[500]]")),
    ("xs => xs.sort()[0]", "xs => @self(xs) == xs[0]", Some("[[]]")),
    ("o => o.a * o.b", "o => @self(o) >= o.a", Some("[{\"a\":1,\"b\":0}]")),
    ("x => x", "false", Some("[]")),
    ("x => x", "x => 1", Some("[null]")),
    ("xs => xs.filter(x => x > 0)", "xs => @self(xs).length <= xs.length", None),
];

#[test]
fn a_counterexample_is_small_and_a_ready_call_shows_it() -> Result<()> {
    let mut client = Client::legacy_with(&SETS)?;
    for (code, property, expected) in PROPERTIES {
        client.evolve("tried", "", &json!(code))?;
        let asked = json!({"tool": "tried", "properties": [property]});
        let told = record(&mut client, "analyze", &asked)?["properties"][0].clone();
        assert_eq!(told["property"], property);
        let by_code = json!({"code": code, "properties": [property]});
        let told_by_code = record(&mut client, "analyze", &by_code)?["properties"][0].clone();
        ensure!(told_by_code["call"].is_null(), "{told_by_code}");
        assert_eq!(told["args"], told_by_code["args"], "{code}");
        // The evaluator, natively, comes to the same input.
        let shape = analyze(&Request { code, ..Request::default() });
        let shape = shape.map_err(|it| anyhow::Error::msg(it.message))?.shape_of_tool();
        let read = Property::read(property, &shape, &[]);
        let read = read.map_err(|it| anyhow::Error::msg(it.message))?;
        let native = drive(read.trial(), |run| evaluate(run, ("self", code)));
        assert_eq!(arguments(&native).unwrap_or_default(), told["args"], "{code}: {told}");
        assert_eq!(told["tried"]["fuel"], native.fuel, "{code}: {told}");
        let Some(expected) = expected else {
            assert_eq!(
                (&told["verdict"], &told["tried"]["inputs"]),
                (&json!("holds"), &json!(2000))
            );
            continue;
        };
        assert_eq!(told["verdict"], "fails");
        assert_eq!(told["args"], serde_json::from_str::<Value>(expected)?, "{told}");
        let shown = client.call("run", &told["call"])?;
        match told["outcomes"][0]["fault"].as_str() {
            Some(fault) => assert_eq!(shown["structuredContent"]["code"], fault, "{shown}"),
            None => {
                assert_eq!(shown["structuredContent"]["value"], told["outcomes"][0]["value"]);
            }
        }
        // The example is one of the property as a tool.
        if property.contains("=>") {
            let own = json!({"name": "law", "description": "", "code": property.replace("@self", "@tried"),
                "examples": [told["example"]]});
            let refused = client.call("evolve", &own)?;
            ensure!(refused["isError"] == true, "{told}: {refused}");
        }
    }
    Ok(())
}

#[test]
fn a_property_that_fails_refuses_a_change_and_is_kept_with_its_revision() -> Result<()> {
    let kept = Kept::new()?;
    let property = "xs => @self(xs).length <= xs.length";
    let tool = |code: &str, properties: &Value| {
        json!({"name": "few", "description": "Few", "code": code,
        "properties": properties})
    };
    let mut first = String::new();
    kept.session_with(&SETS, |client| {
        let told =
            record(client, "evolve", &tool("xs => xs.filter(x => x > 0)", &json!([property])))?;
        ensure!(told["notes"].to_string().contains("property 0 holds for 2000 inputs"), "{told}");
        first = text(&told["revision"]).to_owned();
        let wrong = tool("xs => [...xs, 1]", &json!([property]));
        let refused = client.call("evolve", &wrong)?;
        ensure!(refused["isError"] == true, "{refused}");
        let message = refused["content"][0]["text"].as_str().context("a text")?;
        ensure!(
            message.contains("property 0 refuses the change") && message.contains("[\"\"]"),
            "{message}"
        );
        // Without properties the change keeps those that hold.
        let again =
            json!({"name": "few", "description": "Few", "code": "xs => xs.filter(x => x > 1)"});
        record(client, "evolve", &again)?;
        let inspected = record(client, "inspect", &json!({"tool": "few"}))?;
        assert_eq!(inspected["properties"], json!([property]).to_string());
        let told = record(
            client,
            "evolve",
            &json!({"name": "few", "description": "Few", "code": "xs => [...xs, 1]"}),
        )?;
        ensure!(
            told["notes"].to_string().contains("1 of its 1 properties fail and were removed"),
            "{told}"
        );
        ensure!(record(client, "inspect", &json!({"tool": "few"}))?["properties"].is_null());
        // A rollback brings those of the revision.
        record(client, "rollback", &json!({"tool": "few", "revision": first}))?;
        let inspected = record(client, "inspect", &json!({"tool": "few"}))?;
        assert_eq!(inspected["properties"], json!([property]).to_string());
        for (properties, code) in [
            (json!("x"), "malformed"),
            (json!(["xs =>"]), "unparsable"),
            (json!(vec!["true"; 17]), "malformed"),
            (json!(["x => @other(x)"]), "fail"),
        ] {
            assert_eq!(client.fault("evolve", &tool("x => x", &properties))?["code"], code);
        }
        // What says nothing is told.
        let silent = tool("n => self(n + 1)", &json!(["n => @self(n) == 1"]));
        let told = record(
            client,
            "evolve",
            &json!({"name": "spin", "description": "", "code": silent["code"],
            "properties": silent["properties"]}),
        )?;
        ensure!(told["notes"].to_string().contains("says nothing"), "{told}");
        let recent = record(client, "journal_recent", &json!({"limit": 50}))?;
        ensure!(recent["entries"].as_array().is_some_and(|it| it.len() > 5), "{recent}");
        Ok(())
    })?;
    let exported = kept.prints(&["export", "few"])?;
    let file: Value = serde_json::from_str(&exported)?;
    assert_eq!(file["tools"][0]["properties"], json!([property]));
    let to = Kept::new()?;
    let printed = to.execute(&["import", "-"], &exported)?;
    ensure!(printed.code == Some(0), "{printed:?}");
    assert_eq!(to.prints(&["export", "few"])?, exported);
    // A file whose property fails is not taken.
    let altered = exported.replace("xs.length\"", "0\"");
    ensure!(altered != exported, "{exported}");
    let printed = Kept::new()?.execute(&["import", "-"], &altered)?;
    ensure!(
        printed.code == Some(1) && printed.errors.contains("property 0 refuses"),
        "{printed:?}"
    );
    Ok(())
}

#[test]
fn a_verification_tries_properties() -> Result<()> {
    let mut client = Client::legacy_with(&SETS)?;
    let property = "xs => @self(xs).length <= xs.length";
    let evolve = json!({"name": "few", "description": "", "code": "xs => xs.filter(x => x > 0)", "properties": [property]});
    record(&mut client, "evolve", &evolve)?;
    client.evolve("caller", "", &json!("xs => @few(xs)"))?;
    let caller = json!({"name": "caller", "description": "", "code": "xs => @few(xs)",
        "properties": ["xs => @self(xs).every(x => x > 0)"]});
    record(&mut client, "evolve", &caller)?;
    let stage = |code: &str| json!({"operations": [{"evolve": {"name": "few", "description": "", "code": code}}]});
    let staged = record(&mut client, "stage", &stage("xs => xs.filter(x => x > 1)"))?;
    let told = record(&mut client, "verify", &json!({"snapshot": staged["snapshot"]}))?;
    assert_eq!(told["passed"], true, "{told}");
    assert_eq!(told["tools"][0]["properties"], json!({"passed": 1, "failed": []}));
    assert_eq!(told["dependents"][0]["properties"], json!({"passed": 1, "failed": []}));
    let staged = record(&mut client, "stage", &stage("xs => xs.filter(x => x >= 0)"))?;
    let told = record(&mut client, "verify", &json!({"snapshot": staged["snapshot"]}))?;
    assert_eq!(told["passed"], false, "{told}");
    assert_eq!(told["tools"][0]["properties"]["passed"], 1);
    let failed = &told["dependents"][0]["properties"]["failed"][0];
    assert_eq!((&failed["property"], &failed["code"]), (&json!(0), &json!("fail")), "{told}");
    // The call shows it within the snapshot.
    let mut call = failed["call"].clone();
    call["snapshot"] = staged["snapshot"].clone();
    assert_eq!(record(&mut client, "run", &call)?["value"], false);
    // The properties of a change come with its commit.
    let operation = json!({"evolve": {"name": "few", "description": "", "code": "xs => xs", "properties": ["true"]}});
    let staged = record(&mut client, "stage", &json!({"operations": [operation]}))?;
    record(&mut client, "commit", &json!({"snapshot": staged["snapshot"], "force": true}))?;
    assert_eq!(
        record(&mut client, "inspect", &json!({"tool": "few"}))?["properties"],
        "[\"true\"]"
    );
    Ok(())
}

#[test]
fn a_pipeline_is_fused() -> Result<()> {
    let mut client = Client::legacy_with(&SETS)?;
    client.evolve("prices", "", &json!("os => os.map(o => o.price * 1)"))?;
    client.evolve("net", "", &json!("p => p / 2"))?;
    client.evolve("fact", "", &json!("n => n <= 1 ? 1 : n * self(n - 1)"))?;
    let pipeline = |name: &str, stages: Value, fuse: bool| json!({"name": name, "description": "", "pipeline": stages, "fuse": fuse});
    let stages = json!(["prices", {"map": "net"}]);
    record(&mut client, "evolve", &pipeline("plain", stages.clone(), false))?;
    let told = record(&mut client, "evolve", &pipeline("fused", stages, true))?;
    ensure!(told["notes"].to_string().contains("fused `net`, `prices`"), "{told}");
    let inspected = record(&mut client, "inspect", &json!({"tool": "fused"}))?;
    assert_eq!(inspected["notation"], "x1 => x1.map(x2 => x2.price * 1 / 2)");
    ensure!(inspected["calls"].is_null(), "{inspected}");
    let data = json!({"data": [{"price": 3}, {"price": 0.5}]});
    let (plain, fused) =
        (record(&mut client, "plain", &data)?, record(&mut client, "fused", &data)?);
    assert_eq!(plain["value"], fused["value"]);
    let fuel = |told: &Value| told["fuel"].as_u64().or(told["usage"]["fuel"].as_u64());
    if let (Some(plain), Some(fused)) = (fuel(&plain), fuel(&fused)) {
        ensure!(fused < plain, "{fused} {plain}");
    }
    // A tool that calls itself keeps its name.
    record(&mut client, "evolve", &pipeline("facts", json!(["prices", {"map": "fact"}]), true))?;
    let inspected = record(&mut client, "inspect", &json!({"tool": "facts"}))?;
    ensure!(text(&inspected["notation"]).contains("@fact"), "{inspected}");
    let data = json!({"data": [{"price": 5}]});
    assert_eq!(record(&mut client, "facts", &data)?["value"], json!([120]));
    let alone = json!({"name": "x", "description": "", "code": "x => x", "fuse": true});
    assert_eq!(client.fault("evolve", &alone)?["code"], "malformed");
    Ok(())
}

#[test]
fn programs_ask_what_runs_tell() -> Result<()> {
    let mut client = Client::legacy_with(&SETS)?;
    for (code, value) in [
        (
            "pif.analyze({code: quote(x => !(x > 3)), against: quote(x => x <= 3)}).equality.verdict",
            json!("equal"),
        ),
        (
            "pif.analyze({code: \"x => x + 1\", against: \"x => 1 + x\"}).equality.args",
            json!(["a"]),
        ),
        (
            "pif.analyze({code: \"(a, b) => a * b\", ask: [\"laws\"]}).laws.map(l => l.verdict)",
            json!(["refuted", "proved", "refuted", "refuted"]),
        ),
        (
            "pif.analyze({code: quote(x => x + 1), properties: [\"x => @self(x) == x + 1\"]}).properties[0].verdict",
            json!("holds"),
        ),
    ] {
        assert_eq!(record(&mut client, "run", &json!({"code": code}))?["value"], value, "{code}");
    }
    let recent = record(&mut client, "journal_recent", &json!({"kind": "run"}))?;
    let entries = recent["entries"].as_array().context("entries")?;
    assert_eq!(entries.len(), 4);
    for entry in entries {
        let told = record(&mut client, "replay", &json!({"entry": entry["entry"]}))?;
        assert_eq!(told["verdict"], "equal", "{told}");
    }
    Ok(())
}

#[test]
fn hostile_programs_end_with_what_was_tried() -> Result<()> {
    let mut client = Client::legacy_with(&[&SETS[..], &["--wall-clock", "3s"]].concat())?;
    let long = format!("xs => xs.length + {}0", "1 + ".repeat(200_000));
    let blown = format!(
        "r0 => {{ {} return r40 }}",
        (1..41)
            .map(|i| format!("const r{i} = {{...r{0}, a{i}: r{0}, b: r{0}}};", i - 1))
            .collect::<String>()
    );
    let deep = format!("x => {}x{}", "[".repeat(5_000), "]".repeat(5_000));
    let spin = "n => { while (true) { n = n; } }".to_owned();
    let grow = "s => { let t = \"ab\"; while (true) { t = t + t; } }".to_owned();
    for (name, code) in
        [("long", long), ("blown", blown), ("deep", deep), ("spin", spin), ("grow", grow)]
    {
        for more in [
            json!({"against": "x => 1"}),
            json!({"properties": ["x => @self(x) == @self(x)"]}),
            json!({"ask": ["laws"]}),
        ] {
            let mut asked = more.clone();
            asked["code"] = json!(code);
            let start = std::time::Instant::now();
            let told = client.call("analyze", &asked)?;
            ensure!(start.elapsed().as_secs() < 30, "{name} {more}");
            let fault = &told["structuredContent"]["code"];
            ensure!(told["isError"] != true || fault == "timeout", "{name} {more}: {told}");
            ensure!(told.to_string().len() < 2_000_000, "{name} {more}");
        }
    }
    for (property, verdict) in [
        ("x => { while (true) { x = x; } }", "vacuous"),
        ("x => fail(\"no\")", "fails"),
        ("x => \"true\"", "fails"),
        ("x => y => true", "vacuous"),
        ("x => shop.price({x})", "vacuous"),
        ("\"\"", "fails"),
    ] {
        let told =
            record(&mut client, "analyze", &json!({"code": "x => x", "properties": [property]}))?;
        assert_eq!(told["properties"][0]["verdict"], verdict, "{property}: {told}");
    }
    // The server goes on.
    assert_eq!(record(&mut client, "run", &json!({"code": "1 + 1"}))?["value"], 2);
    Ok(())
}

#[test]
fn the_command_line_writes_proofs_and_shows_counterexamples() -> Result<()> {
    let kept = Kept::new()?;
    let file = kept.folder().join("proof.json");
    let file = file.to_str().context("a path in UTF-8")?;
    let told =
        kept.prints(&["analyze", "x => !(x > 3)", "--against", "x => x <= 3", "--proof", file])?;
    ensure!(told.contains("\nequal: "), "{told}");
    let checked = kept.execute_behind(&["proof", "check", file])?;
    ensure!(checked.output.starts_with("the programs are equal"), "{checked:?}");
    let told = kept.prints(&["analyze", "x => x + 1", "--against", "x => 1 + x"])?;
    ensure!(told.contains("\ndifferent for [\"a\"]: \"a1\" and \"1a\""), "{told}");
    let told =
        kept.prints(&["analyze", "x => x * 2", "--property", "x => @self(x) > x", "--json"])?;
    let told: Value = serde_json::from_str(&told)?;
    assert_eq!(told["properties"][0]["args"], json!([0]));
    let told = kept.prints(&["analyze", "(a, b) => a * b", "--ask", "laws"])?;
    ensure!(told.contains("\ncommutative: proved for all inputs"), "{told}");
    Ok(())
}
