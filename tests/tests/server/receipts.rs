//! Receipts: signed statements about runs that somebody without the store can check and replay.

use super::binary;
use super::client::Client;
use super::folder::Folder;
use super::kept::{Kept, run};
use anyhow::{Context, Result, ensure};
use pif_receipt::{PublicKey, Trust};
use pif_server::workshop::Receipt;
use pif_tests::sdk::environment;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A store with runs of all kinds, its public keys and its folder.
fn store() -> Result<(Kept, Vec<i64>)> {
    let kept = Kept::new()?;
    kept.session(|client| {
        client.call(
            "evolve",
            &json!({
                "name": "total", "code": "xs => ({sum: @std_sum_of(xs)})", "description": "Sums.",
                "output_schema": {"type": "object"},
            }),
        )?;
        client.call(
            "evolve",
            &json!({
                "name": "std_free", "code": "1", "description": "Is refused.",
            }),
        )?;
        client.call(
            "evolve",
            &json!({
                "name": "total", "code": "xs => ({sum: xs.map(x => @std_gcd(x, 6)).sum()})",
                "description": "Sums.", "output_schema": {"type": "object"},
            }),
        )?;
        client.call("run", &json!({"tool": "total", "data": [4, 9]}))?;
        client.call(
            "run",
            &json!({"code": "@total(data)", "data": [4, 6, 9], "context": {"a": 1}}),
        )?;
        client.call("run", &json!({"code": "[1].map(x => x / 0)"}))?;
        client.call("run", &json!({"code": "n => n < 3 ? self.continue(n + 1) : n", "data": 1}))?;
        run(client, &json!(1)).map(drop)
    })?;
    let journal = kept.prints(&["journal", "--json", "--kind", "run"])?;
    let mut runs = Vec::new();
    for line in journal.lines() {
        let entry: Value = serde_json::from_str(line)?;
        runs.push(entry["entry"].as_i64().context("a number")?);
    }
    ensure!(runs.len() >= 4, "{journal}");
    Ok((kept, runs))
}

/// Writes a file beside the store. Gives its path.
pub(super) fn file(kept: &Kept, name: &str, text: &str) -> Result<String> {
    let path: PathBuf = kept.folder().join(name);
    fs::write(&path, text)?;
    Ok(path.to_str().context("a path")?.to_owned())
}

#[test]
fn a_receipt_is_checked_and_replayed_without_its_store() -> Result<()> {
    let (kept, runs) = store()?;
    let errors = kept.complains(&["receipt", &runs[0].to_string()])?;
    ensure!(errors.contains("mcp-pif keys new"), "{errors}");
    let id = kept.prints(&["keys", "new"])?;
    let pem = kept.prints(&["keys", "export"])?;
    ensure!(kept.complains(&["keys", "new"])?.contains("mcp-pif keys rotate"));
    let trust = file(&kept, "trust.pem", &pem)?;
    let elsewhere = Kept::new()?;
    for run in &runs {
        let receipt = kept.prints(&["receipt", &run.to_string()])?;
        let path = file(&kept, "receipt.json", &receipt)?;
        let told = elsewhere
            .prints(&["receipt", "verify", &path, "--trust", &trust, "--replay", "--json"])?;
        let told: Value = serde_json::from_str(&told)?;
        assert_eq!(told["signer"], id.trim());
        assert_eq!(told["replay"], "equal", "{told}");
        assert_eq!(told["statement"]["predicate"]["run"]["entry"]["number"], *run);
        // Without its texts it is replayed in its store only.
        let bare = kept.prints(&["receipt", &run.to_string(), "--bare"])?;
        ensure!(bare.len() < receipt.len());
        let path = file(&kept, "bare.json", &bare)?;
        let replay = ["receipt", "verify", &path, "--trust", &trust, "--replay"];
        ensure!(elsewhere.complains(&replay)?.contains("there is no entry"));
        ensure!(kept.prints(&replay)?.ends_with("replay equal\n"));
    }
    let stranger = Kept::new()?;
    stranger.session(|client| run(client, &json!(1)).map(drop))?;
    stranger.prints(&["keys", "new"])?;
    let other = file(&stranger, "trust.pem", &stranger.prints(&["keys", "export"])?)?;
    let path = file(&kept, "receipt.json", &kept.prints(&["receipt", &runs[0].to_string()])?)?;
    let errors = kept.complains(&["receipt", "verify", &path, "--trust", &other])?;
    ensure!(errors.contains("no trusted key has signed it"), "{errors}");
    Ok(())
}

#[test]
fn trust_follows_a_rotation_and_ends_with_a_revocation() -> Result<()> {
    let (kept, runs) = store()?;
    let first = kept.prints(&["keys", "new"])?;
    let trust = file(&kept, "trust.pem", &kept.prints(&["keys", "export"])?)?;
    let second = kept.prints(&["keys", "rotate"])?;
    let receipt = kept.prints(&["receipt", &runs[0].to_string()])?;
    let path = file(&kept, "receipt.json", &receipt)?;
    let verify = ["receipt", "verify", &path, "--trust", &trust];
    ensure!(kept.prints(&verify)?.contains(second.trim()));
    for (line, counts) in [
        (format!("{} 2001-01-01", second.trim()), false),
        (format!("{} 2999-01-01", second.trim()), true),
        (format!("{} 2001-01-01", first.trim()), false),
        (format!("# nobody\n{}", second.trim()), false),
    ] {
        let revoked = file(&kept, "revoked", &line)?;
        let verify = [&verify[..], &["--revoked", &revoked]].concat();
        if counts {
            kept.prints(&verify)?;
        } else {
            kept.complains(&verify)?;
        }
    }
    let listed = kept.prints(&["keys", "list"])?;
    ensure!(listed.lines().count() == 2 && listed.contains("signs"), "{listed}");
    Ok(())
}

/// Each byte of a receipt is changed in turn: the receipt is refused, unless it says what it said.
#[test]
fn every_changed_byte_is_refused() -> Result<()> {
    let (kept, runs) = store()?;
    kept.prints(&["keys", "new"])?;
    let keys = PublicKey::all_from_pem(&kept.prints(&["keys", "export"])?)?;
    let trust = Trust::new(keys);
    let mut refused = 0;
    for run in runs.iter().take(2) {
        let text = kept.prints(&["receipt", &run.to_string()])?;
        let receipt = Receipt::read(&text).map_err(|fault| anyhow::anyhow!(fault.message))?;
        ensure!(receipt.check(&trust).is_ok());
        for at in 0..text.trim_end().len() {
            for bit in [1, 4, 32] {
                let mut bytes = text.trim_end().as_bytes().to_vec();
                bytes[at] ^= bit;
                let Ok(changed) = String::from_utf8(bytes) else { continue };
                let Ok(changed) = Receipt::read(&changed) else { continue };
                if changed == receipt {
                    continue;
                }
                ensure!(
                    changed.check(&trust).is_err(),
                    "byte {at} of entry {run}: {}",
                    &text[at..]
                );
                refused += 1;
            }
        }
    }
    ensure!(refused > 1_000, "{refused}");
    Ok(())
}

/// What a program of Python says that has the packages of another implementation.
pub(super) fn another(program: &str, arguments: &[&str]) -> Result<String> {
    let clients = Path::new(env!("CARGO_MANIFEST_DIR")).join("clients/receipts");
    let (target, wanted) = (binary::target()?, clients.join("requirements.txt"));
    let mut python = Command::new(environment::python(&target, "python-receipts", &wanted)?);
    let output = python.arg(clients.join(program)).args(arguments).output()?;
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    ensure!(output.status.success(), "{said}");
    Ok(said)
}

/// Packages of Python verify our receipts and refuse each changed one. We accept what they sign, and
/// refuse what is signed by others or does not say what the texts say.
#[test]
#[ignore = "needs a package index for Python"]
fn another_implementation_agrees() -> Result<()> {
    let (kept, runs) = store()?;
    kept.prints(&["keys", "new"])?;
    let trust = file(&kept, "trust.pem", &kept.prints(&["keys", "export"])?)?;
    for run in &runs {
        let path = file(&kept, "receipt.json", &kept.prints(&["receipt", &run.to_string()])?)?;
        let said = another("receipt.py", &["verify", &path, &trust])?;
        assert_eq!(said.lines().count(), 2, "{said}");
        let folder = Folder::new()?;
        let place = folder.path().to_str().context("a path")?;
        let signed = another("receipt.py", &["sign", &path, place])?;
        let keys = format!("{place}/keys.pem");
        for name in signed.lines().filter_map(|line| line.strip_prefix("ok ")) {
            let path = format!("{place}/{name}.json");
            let verify = ["receipt", "verify", &path, "--trust", &keys, "--replay"];
            if name.starts_with("good-") {
                ensure!(kept.prints(&verify)?.ends_with("replay equal\n"), "{name}");
            } else {
                ensure!(kept.complains(&verify)?.contains("invalid-receipt"), "{name}");
            }
        }
        ensure!(signed.lines().count() >= 15, "{signed}");
    }
    Ok(())
}

/// The tool does what the command does.
#[test]
fn the_tool_makes_and_checks_receipts() -> Result<()> {
    let (kept, runs) = store()?;
    let flags = ["--toolsets", "core,analysis"];
    kept.session_with(&flags, |client| {
        let fault = client.fault("receipt", &json!({"entry": runs[0]}))?;
        ensure!(fault["message"].as_str().is_some_and(|it| it.contains("keys new")), "{fault}");
        Ok(())
    })?;
    let id = kept.prints(&["keys", "new"])?;
    let pem = kept.prints(&["keys", "export"])?;
    let mut receipts = Vec::new();
    kept.session_with(&flags, |client| {
        for run in &runs {
            let receipt = record(client, &json!({"entry": run}))?;
            let told = record(client, &json!({"verify": receipt, "replay": true}))?;
            assert_eq!(told["signer"], id.trim());
            assert_eq!(told["replay"], "equal");
            let text = json!({"verify": receipt.to_string(), "trust": pem, "replay": false});
            assert_eq!(record(client, &text)?["replay"], Value::Null);
            let bare = record(client, &json!({"entry": run, "bare": true}))?;
            ensure!(bare["materials"].is_null(), "{bare}");
            let told = record(client, &json!({"verify": bare, "replay": true}))?;
            assert_eq!(told["replay"], "equal");
            let revoked = json!({"verify": receipt, "revoked": id});
            assert_eq!(client.fault("receipt", &revoked)?["code"], "invalid-receipt");
            let mut changed = receipt.clone();
            changed["materials"]["entry"]["fuel"] = json!(9_999);
            let fault = client.fault("receipt", &json!({"verify": changed}))?;
            assert_eq!(fault["code"], "invalid-receipt");
            receipts.push(receipt);
        }
        for wrong in [
            json!({}),
            json!({"entry": 1, "verify": receipts[0]}),
            json!({"entry": 1, "replay": true}),
            json!({"verify": receipts[0], "bare": true}),
            json!({"verify": receipts[0], "trust": "no key"}),
            json!({"verify": receipts[0], "revoked": "soon"}),
        ] {
            assert_eq!(client.fault("receipt", &wrong)?["code"], "malformed", "{wrong}");
        }
        assert_eq!(client.fault("receipt", &json!({"entry": 999}))?["code"], "unknown-entry");
        Ok(())
    })?;
    // What the tool made, the command checks.
    let trust = file(&kept, "trust.pem", &pem)?;
    let path = file(&kept, "receipt.json", &receipts[0].to_string())?;
    kept.prints(&["receipt", "verify", &path, "--trust", &trust, "--replay"])?;
    Ok(())
}

fn record(client: &mut Client, arguments: &Value) -> Result<Value> {
    let told = client.call("receipt", arguments)?;
    ensure!(told["isError"] != true, "{arguments}: {told}");
    Ok(told["structuredContent"].clone())
}
