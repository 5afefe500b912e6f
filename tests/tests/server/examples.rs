//! Every example of the README that this server was made after: each works as printed there, or
//! better.

use super::client::{Client, text};
use anyhow::{Context, Result};
use serde_json::{Value, json};

fn factorial() -> Value {
    json!({"lam": "n_acc", "body": {"if": {
        "cond": {"lte": [{"fst": {"var": "n_acc"}}, 1]},
        "then": {"snd": {"var": "n_acc"}},
        "else": {"continue": {"input": {"pair": [
            {"sub": [{"fst": {"var": "n_acc"}}, 1]},
            {"mul": [{"fst": {"var": "n_acc"}}, {"snd": {"var": "n_acc"}}]},
        ]}}},
    }}})
}

fn factorial_self() -> Value {
    json!({"lam": "n", "body": {"if": {
        "cond": {"lte": [{"var": "n"}, 1]},
        "then": 1,
        "else": {"mul": [
            {"var": "n"},
            {"app": {"func": {"self": true}, "arg": {"sub": [{"var": "n"}, 1]}}},
        ]},
    }}})
}

fn square() -> Value {
    json!({"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}})
}

fn map() -> Value {
    json!({"lam": "f", "body": {"lam": "list", "body": {"fold": [
        {"lam": "acc_item", "body": {"cons": {
            "head": {"app": {"func": {"var": "f"}, "arg": {"snd": {"var": "acc_item"}}}},
            "tail": {"fst": {"var": "acc_item"}},
        }}},
        {"nil": true},
        {"var": "list"},
    ]}}})
}

#[test]
fn square_of_seven() -> Result<()> {
    let mut client = Client::legacy()?;
    client.evolve("square", "Squares a number", &square())?;
    assert_eq!(client.text("run", &json!({"tool": "square", "input": 7}))?, "49");
    assert_eq!(client.text("run", &json!({"code": "square", "input": "7"}))?, "49");
    Ok(())
}

#[test]
fn help_with_lists() -> Result<()> {
    let mut client = Client::legacy()?;
    let help = client.text("help", &json!({"category": "lists"}))?;
    for form in ["nil", "cons", "head", "tail", "isEmpty", "length", "fold"] {
        assert!(help.contains(&format!("{form} [lists]")), "{form} is not in {help}");
    }
    let details = client.text("help", &json!({"form": "mul"}))?;
    for part in ["An integer and a float give a float.", "then they are used from left to right."] {
        assert!(details.contains(part), "{part} is not in {details}");
    }
    let overview = client.text("help", &json!({}))?;
    for part in ["lists:", "fold", "quote", "tools: evolve run list help"] {
        assert!(overview.contains(part), "{part} is not in {overview}");
    }
    Ok(())
}

#[test]
fn factorial_continued_by_hand() -> Result<()> {
    let mut client = Client::legacy()?;
    client.evolve(
        "factorial",
        "Computes factorial using continuation with accumulator",
        &factorial(),
    )?;
    let mut arguments = json!({"code": "factorial", "input": {"pair": [5, 1]}});
    for (step, next) in [(1, [4, 5]), (2, [3, 20]), (3, [2, 60]), (4, [1, 120])] {
        let result = client.call("run", &arguments)?;
        let continuation = json!({
            "type": "continuation",
            "message": "Recursive step needed. Call run again with:",
            "tool": "factorial",
            "next_input": {"pair": next},
            "step": step,
        });
        assert_eq!(result["structuredContent"]["value"], continuation);
        assert_eq!(serde_json::from_str::<Value>(text(&result)?)?, continuation);
        arguments = json!({"tool": "factorial", "input": {"pair": next}, "step": step});
    }
    assert_eq!(client.text("run", &arguments)?, "120");
    Ok(())
}

#[test]
fn factorial_driven() -> Result<()> {
    let mut client = Client::legacy()?;
    client.evolve("factorial", "Computes factorial", &factorial())?;
    let arguments = json!({"tool": "factorial", "input": {"pair": [30, 1]}, "max_steps": 100});
    let result = client.call("run", &arguments)?;
    assert_eq!(text(&result)?, "265252859812191058636308480000000");
    assert_eq!(result["structuredContent"]["steps"], 29);
    let few = json!({"tool": "factorial", "input": {"pair": [5, 1]}, "max_steps": 2});
    let result = client.call("run", &few)?;
    assert_eq!(result["structuredContent"]["value"]["step"], 3);
    assert_eq!(result["structuredContent"]["value"]["next_input"], json!({"pair": [2, 60]}));
    Ok(())
}

#[test]
fn factorial_by_self() -> Result<()> {
    let mut client = Client::legacy()?;
    client.evolve("factorial_self", "Simple factorial using self", &factorial_self())?;
    let run = |n: u32| json!({"tool": "factorial_self", "input": n});
    assert_eq!(client.text("run", &run(20))?, "2432902008176640000");
    let digits = client.text("run", &run(1_000))?;
    assert_eq!((digits.len(), &digits[..5]), (2_568, "40238"));
    Ok(())
}

#[test]
fn map_over_a_list() -> Result<()> {
    let mut client = Client::legacy()?;
    client.evolve("map", "Maps a function over a list", &map())?;
    let map = json!({"eval": {"code_of": "map"}});
    let mapped = json!({"app": {
        "func": {"app": {"func": map, "arg": square()}},
        "arg": [1, 2, 3],
    }});
    // As printed it builds the list from its end.
    assert_eq!(client.text("run", &json!({"code": mapped}))?, "[9,4,1]");
    Ok(())
}

#[test]
fn double_with_a_free_variable() -> Result<()> {
    let mut client = Client::legacy()?;
    let said = client.evolve("double", "Doubles a number", &json!({"mul": [{"var": "x"}, 2]}))?;
    assert!(said.contains("made a function of its free variable `x`"), "{said}");
    assert_eq!(client.text("run", &json!({"tool": "double", "input": 21}))?, "42");
    Ok(())
}

#[test]
fn operations_counted() -> Result<()> {
    let mut client = Client::legacy()?;
    client.evolve("square", "Squares a number", &square())?;
    let count = json!({"lam": "tool_name", "body": {"eval": {"quote": {
        "analyze": [{"code_of": {"var": "tool_name"}}],
    }}}});
    client.evolve("count_operations", "Counts arithmetic operations in a tool", &count)?;
    let result = client.call("run", &json!({"tool": "count_operations", "input": "square"}))?;
    assert_eq!(result["structuredContent"]["value"], json!({"lam": 1, "mul": 1, "var": 2}));
    Ok(())
}

#[test]
fn inputs_as_the_command_line_of_a_client_writes_them() -> Result<()> {
    let mut client = Client::legacy()?;
    client.evolve("same", "Gives back its input", &super::text::identity())?;
    for (input, value) in [
        (json!("42"), "42"),
        (json!("true"), "true"),
        (json!("false"), "false"),
        (json!("{\"x\": 5}"), r#"{"x":5}"#),
        (json!("[1, 2]"), "[1,2]"),
        (json!("hello"), "hello"),
        (json!(null), "null"),
    ] {
        assert_eq!(client.text("run", &json!({"tool": "same", "input": input}))?, value);
    }
    Ok(())
}

#[test]
fn list_shows_what_was_evolved() -> Result<()> {
    let mut client = Client::legacy()?;
    client.evolve("square", "Squares a number", &square())?;
    let result = client.call("list", &json!({}))?;
    let tools = result["structuredContent"]["tools"].as_array().context("tools")?;
    assert_eq!(tools.len(), 1);
    assert_eq!(tools[0]["name"], "square");
    assert!(text(&result)?.contains("- square ("), "{result}");
    assert!(client.text("list", &json!({"query": "cube"}))?.contains("no tool matches"));
    Ok(())
}
