//! What a run gives back: exact values, or word that there is more than can be shown.

use super::client::{Client, text};
use super::text::identity;
use anyhow::{Result, ensure};
use serde_json::{Value, json};

#[test]
fn integers_are_exact_both_ways() -> Result<()> {
    let mut client = Client::legacy()?;
    let result = client
        .call_text("run", r#"{"code":{"mul":[99999999999999999999,99999999999999999999]}}"#)?;
    let exact = "9999999999999999999800000000000000000001";
    assert_eq!(text(&result)?, exact);
    assert_eq!(result["structuredContent"]["exact"], exact);
    ensure!(result["structuredContent"].get("value").is_none(), "it stands twice: {result}");
    Ok(())
}

#[test]
fn null_is_a_term_where_a_term_is_expected() -> Result<()> {
    let mut client = Client::legacy()?;
    assert_eq!(text(&client.call("run", &json!({"code": null}))?)?, "null");
    client.evolve("nothing", "Nothing", &Value::Null)?;
    let run = json!({"tool": "nothing", "code": null, "input": null});
    assert_eq!(text(&client.call("run", &run)?)?, "null");
    Ok(())
}

#[test]
fn integers_are_exact_wherever_they_stand() -> Result<()> {
    let mut client = Client::legacy()?;
    let wide = "123456789012345678901234567890";
    let id = r#"{"lam":"x","body":{"var":"x"}}"#;
    for arguments in [
        format!(r#"{{"code":{wide}}}"#),
        format!(r#"{{"code":"{wide}"}}"#),
        format!(r#"{{"code":{id},"input":{wide}}}"#),
        format!(r#"{{"code":{id},"input":"{wide}"}}"#),
        format!(r#"{{"code":{id},"data":{wide}}}"#),
        format!(r#"{{"code":{{"var":"wide"}},"context":{{"wide":{wide}}}}}"#),
    ] {
        let result = client.call_text("run", &arguments)?;
        ensure!(text(&result)? == wide, "{arguments}: {result}");
        ensure!(result["structuredContent"]["exact"] == wide, "{arguments}: {result}");
    }
    Ok(())
}

#[test]
fn only_what_parsers_may_spoil_is_told_as_text() -> Result<()> {
    let mut client = Client::legacy()?;
    for (code, is_wide) in [
        ("9007199254740991", false),
        ("9007199254740992", true),
        ("[-9007199254740992]", true),
        ("\"9007199254740992\"", false),
        ("[1,[2,[3]]]", false),
    ] {
        let result = client.call_text("run", &format!(r#"{{"code":{}}}"#, Value::from(code)))?;
        let exact = result["structuredContent"].get("exact").is_some();
        ensure!(exact == is_wide, "{code}: {result}");
    }
    Ok(())
}

#[test]
fn what_is_nested_deep_is_text_only() -> Result<()> {
    let mut client = Client::legacy()?;
    for (levels, is_value) in [(64, true), (65, false), (10_000, false)] {
        let nested = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let result = client.call("run", &json!({"code": nested}))?;
        ensure!(text(&result)? == nested, "{levels} levels");
        let structured = &result["structuredContent"];
        ensure!(structured.get("value").is_some() == is_value, "{levels} levels");
        ensure!(structured.get("exact").is_some() != is_value, "{levels} levels");
    }
    Ok(())
}

#[test]
fn texts_are_raw() -> Result<()> {
    let mut client = Client::legacy()?;
    let words = "two \"lines\"\nof – text\u{1f600}";
    let result = client.call("run", &json!({"code": identity(), "data": words}))?;
    assert_eq!(text(&result)?, words);
    assert_eq!(result["structuredContent"]["value"], words);
    assert_eq!(result["structuredContent"]["kind"], "string");
    Ok(())
}

#[test]
fn a_value_too_long_is_told_by_its_size() -> Result<()> {
    let mut client = Client::legacy_with(&["--max-result", "100"])?;
    for (length, is_shown) in [(100, true), (101, false)] {
        let data = "é".repeat(length);
        let result = client.call("run", &json!({"code": identity(), "data": data}))?;
        let structured = &result["structuredContent"];
        assert_eq!(result["isError"], false);
        assert_eq!(structured.get("value").is_some(), is_shown, "{result}");
        if !is_shown {
            assert_eq!(
                (&structured["truncated"], &structured["size"]),
                (&json!(true), &json!(length))
            );
            assert!(!text(&result)?.contains('é'), "nothing of it is shown: {result}");
            assert!(text(&result)?.contains("101 characters"), "{result}");
        }
    }
    Ok(())
}

#[test]
fn a_canonical_text_too_long_is_told_by_its_size() -> Result<()> {
    let mut client = Client::legacy_with(&["--max-result", "100"])?;
    let checked =
        client.call("check", &json!({"code": "[".to_owned() + &"1,".repeat(100) + "1]"}))?;
    let record = &checked["structuredContent"];
    ensure!(record["truncated"] == true && record["size"] == 203, "{checked}");
    ensure!(record.get("canonical").is_none(), "{checked}");
    Ok(())
}

#[test]
fn the_default_cap_is_fifty_thousand_characters() -> Result<()> {
    let mut client = Client::legacy()?;
    for (length, is_shown) in [(50_000, true), (50_001, false)] {
        let data = "x".repeat(length);
        let result = client.call("run", &json!({"code": identity(), "data": data}))?;
        assert_eq!(result["structuredContent"].get("value").is_some(), is_shown);
    }
    Ok(())
}

#[test]
fn data_is_never_code() -> Result<()> {
    let mut client = Client::legacy()?;
    let data = json!({"add": [1, 2], "var": "x", "n": 1.5, "text": "42"});
    let result = client.call("run", &json!({"code": identity(), "data": data}))?;
    assert_eq!(result["structuredContent"]["value"], data);
    let result = client.call("run", &json!({"code": identity(), "input": {"add": [1, 2]}}))?;
    assert_eq!(result["structuredContent"]["value"], 3);
    Ok(())
}

#[test]
fn warnings_and_trace_lines_are_told() -> Result<()> {
    let mut client = Client::legacy()?;
    let result =
        client.call("run", &json!({"code": {"trace": ["sum", {"add": [1, 3], "sub": [1, 1]}]}}))?;
    let structured = &result["structuredContent"];
    assert_eq!(structured["trace"], json!(["sum: 4"]));
    let warning = structured["warnings"][0].as_str().unwrap_or_default();
    assert!(warning.starts_with("ignored-key at /trace/1"), "{result}");
    assert!(structured.get("evaluation").is_none(), "{result}");
    let result = client.call("run", &json!({"code": {"add": [1, 2]}, "trace": true}))?;
    let steps = result["structuredContent"]["evaluation"].as_array().map_or(0, Vec::len);
    assert_eq!(steps, 6, "{result}");
    Ok(())
}

/// `steps` shows the first terms with the values that they came to, and says so if there are more.
#[test]
fn steps_show_terms_with_their_values() -> Result<()> {
    let mut client = Client::legacy()?;
    let code = "data.map(x => x * 10).sum()";
    let lines = |client: &mut Client, steps: u64| -> Result<Value> {
        let call = json!({"code": code, "data": [1, 2], "steps": steps});
        let result = client.call("run", &call)?;
        ensure!(result["structuredContent"]["value"] == 30, "{result}");
        Ok(result["structuredContent"]["evaluation"].clone())
    };
    let all = json!([
        "    data → [1,2]",
        "      x → 1",
        "    x * 10 → 10",
        "      x → 2",
        "    x * 10 → 20",
        "  data.map(x => x * 10) → [10,20]",
        "data.map(x => x * 10).sum() → 30",
    ]);
    assert_eq!(lines(&mut client, 1_000)?, all);
    let first = json!([all[0], all[1], "… more steps came (shown: 2)"]);
    assert_eq!(lines(&mut client, 2)?, first);
    let refused = client.call("run", &json!({"code": code, "data": [1], "steps": 1_001}))?;
    ensure!(refused["isError"] == true && refused.to_string().contains("steps"), "{refused}");
    let fault = client.call("run", &json!({"code": "1 / (2 - 2)", "steps": 10}))?;
    assert_eq!(fault["structuredContent"]["evaluation"], json!(["  2 - 2 → 0"]));
    Ok(())
}

#[test]
fn runs_are_repeatable() -> Result<()> {
    let mut client = Client::legacy()?;
    let code = json!({"fold": [
        {"lam": "p", "body": {"add": [{"fst": {"var": "p"}}, {"snd": {"var": "p"}}]}},
        0,
        (1..=100).collect::<Vec<_>>(),
    ]});
    let first = client.call("run", &json!({"code": code}))?;
    assert_eq!(first["structuredContent"]["value"], 5050);
    for _ in 0..5 {
        assert_eq!(client.call("run", &json!({"code": code}))?, first);
    }
    Ok(())
}
