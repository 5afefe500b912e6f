//! Certificates of tools: signed by one store, checked again by another before anything is stored.

use super::kept::Kept;
use super::receipts::file;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

/// A store with `net`, `bill`, which calls it, and `same`, which is equal to `net`.
fn store() -> Result<Kept> {
    let kept = Kept::new()?;
    kept.session(|client| {
        for tool in [
            json!({
                "name": "net", "description": "A price without tax", "code": "p => p * 2 + 1 * p",
                "examples": [{"data": 2, "output": 6}, {"data": 0, "output": 0}],
                "properties": ["n => n >= 1e300 || n <= -1e300 || @self(n) + 0 == @self(n)"],
            }),
            json!({"name": "same", "description": "Another way to say it", "code": "q => { const twice = q * 2; return twice + 1 * q; }"}),
            json!({
                "name": "bill", "description": "A bill", "code": "ps => ps.map(p => @net(p)).sum()",
                "examples": [{"data": [1, 2], "output": 9}],
            }),
        ] {
            let told = client.call("evolve", &tool)?;
            ensure!(told["isError"] != true, "{told}");
        }
        Ok(())
    })?;
    kept.prints(&["keys", "new"])?;
    Ok(kept)
}

/// Exports `bill` with certificates. Gives the file and that of the keys.
fn export(kept: &Kept, flags: &[&str]) -> Result<(Value, String)> {
    let exported = kept.prints(&[&["export", "bill", "--sign"][..], flags].concat())?;
    let keys = file(kept, "keys.pem", &kept.prints(&["keys", "export"])?)?;
    Ok((serde_json::from_str(&exported)?, keys))
}

/// What a new store says when it refuses a file. It has nothing of it then.
fn refused(bundle: &Value, flags: &[&str]) -> Result<String> {
    let into = Kept::new()?;
    let path = file(&into, "tools.json", &bundle.to_string())?;
    let printed = into.execute(&[&["import", path.as_str()][..], flags].concat(), "")?;
    ensure!(printed.code == Some(1) && printed.output.is_empty(), "{printed:?}");
    ensure!(printed.errors.contains("nothing was imported"), "{printed:?}");
    let journal = into.prints(&["journal", "--json"])?;
    ensure!(!journal.contains("\"ending\":\"new\""), "{journal}");
    Ok(printed.errors)
}

#[test]
fn certificates_are_checked_again() -> Result<()> {
    let kept = store()?;
    let (bundle, keys) = export(&kept, &[])?;
    let into = Kept::new()?;
    let path = file(&into, "tools.json", &bundle.to_string())?;
    let printed = into.execute(&["import", &path, "--trust", &keys], "")?;
    ensure!(printed.code == Some(0), "{printed:?}");
    ensure!(printed.output.contains("bill: new") && printed.output.contains("net: new"));
    for words in ["`bill` holds: examples: 1", "`net` holds: examples: 2; properties: 1; type:"] {
        ensure!(printed.errors.contains(words), "{}", printed.errors);
    }
    // They stand with the revision.
    into.session(|client| {
        let told = client.call("inspect", &json!({"tool": "net"}))?;
        let certificate = &told["structuredContent"]["certificate"];
        assert_eq!(certificate["known"]["examples"], 2, "{told}");
        assert_eq!(certificate["envelope"]["signatures"][0]["keyid"], certificate["signer"]);
        let text = told["content"][0]["text"].as_str().context("text")?;
        ensure!(text.contains("certificate: examples: 2; properties: 1"), "{text}");
        Ok(())
    })?;
    // Without keys they are not looked at, and a note says so.
    let into = Kept::new()?;
    let printed = into.execute(&["import", &path], "")?;
    ensure!(printed.code == Some(0) && printed.errors.contains("--trust"), "{printed:?}");
    Ok(())
}

#[test]
fn a_certificate_stands_with_its_revision_when_its_entry_is_gone() -> Result<()> {
    let kept = store()?;
    let (bundle, keys) = export(&kept, &[])?;
    let into = Kept::new()?;
    let path = file(&into, "tools.json", &bundle.to_string())?;
    let printed = into.execute(&["import", &path, "--trust", &keys], "")?;
    ensure!(printed.code == Some(0), "{printed:?}");
    // Longer runs push the entries of the import out of the journal.
    into.session_with(&["--journal-size", "1MiB"], |client| {
        let data = "x".repeat(40_000);
        for _ in 0..40 {
            client.call("run", &json!({"code": "data.length", "data": data}))?;
        }
        for entry in [1, 2] {
            let fault = client.fault("replay", &json!({ "entry": entry }))?;
            assert_eq!(fault["code"], "unknown-entry");
        }
        let told = client.call("inspect", &json!({"tool": "net"}))?;
        let certificate = &told["structuredContent"]["certificate"];
        assert_eq!(certificate["known"]["examples"], 2, "{told}");
        Ok(())
    })
}

#[test]
fn what_does_not_hold_is_told() -> Result<()> {
    let kept = store()?;
    let (bundle, keys) = export(&kept, &[])?;
    let trust = ["--trust", keys.as_str()];
    // No certificates, or one too few.
    let mut without = bundle.clone();
    without.as_object_mut().context("a file")?.remove("certificates");
    let errors = refused(&without, &trust)?;
    ensure!(errors.contains("`bill` has no certificate"), "{errors}");
    ensure!(errors.contains("`net` has no certificate"), "{errors}");
    // Altered certificates: each byte of the payload and of the signature.
    for (member, place) in [("payload", 40), ("payload", 400), ("sig", 10)] {
        let mut altered = bundle.clone();
        let envelope = &mut altered["certificates"]["tools"][0];
        let text = match member {
            "sig" => &mut envelope["signatures"][0]["sig"],
            member => &mut envelope[member],
        };
        let mut chars: Vec<char> = text.as_str().context("text")?.chars().collect();
        chars[place] = if chars[place] == 'A' { 'B' } else { 'A' };
        *text = chars.into_iter().collect::<String>().into();
        let errors = refused(&altered, &trust)?;
        ensure!(errors.contains("invalid-certificate"), "{member}: {errors}");
    }
    // An altered tool: the description and an example are part of what was certified.
    let mut altered = bundle.clone();
    altered["tools"][0]["description"] = json!("Another bill");
    let errors = refused(&altered, &trust)?;
    ensure!(errors.contains("the tool in the file is another one"), "{errors}");
    // A callee of another revision, well exported and signed by itself.
    let other = store()?;
    other.session(|client| {
        let code =
            json!({"name": "net", "description": "A price without tax", "code": "p => 3 * p"});
        client.call("evolve", &code).map(drop)
    })?;
    let (theirs, their_keys) = export(&other, &[])?;
    let mut mixed = bundle.clone();
    let at = |file: &Value| {
        file["tools"].as_array().and_then(|all| all.iter().position(|it| it["name"] == "net"))
    };
    let (ours, place) = (at(&bundle).context("net")?, at(&theirs).context("net")?);
    mixed["tools"][ours] = theirs["tools"][place].clone();
    mixed["certificates"]["tools"][ours] = theirs["certificates"]["tools"][place].clone();
    let errors = refused(&mixed, &["--trust", &keys, "--trust", &their_keys])?;
    ensure!(errors.contains("`net`, which it calls, is"), "{errors}");
    // Keys that are unknown or revoked.
    let errors = refused(&bundle, &["--trust", &their_keys])?;
    ensure!(errors.contains("no trusted key has signed it"), "{errors}");
    let revoked = file(
        &kept,
        "revoked",
        kept.prints(&["keys", "list"])?.split(' ').next().context("an id")?,
    )?;
    let errors = refused(&bundle, &["--trust", &keys, "--revoked", &revoked])?;
    ensure!(errors.contains("was revoked"), "{errors}");
    Ok(())
}

#[test]
fn equality_is_proved_again() -> Result<()> {
    let kept = store()?;
    let (bundle, keys) = export(&kept, &["same", "--equal", "net=same"])?;
    let into = Kept::new()?;
    let path = file(&into, "tools.json", &bundle.to_string())?;
    let printed = into.execute(&["import", &path, "--trust", &keys], "")?;
    ensure!(printed.code == Some(0) && printed.errors.contains("equal to `same@"), "{printed:?}");
    let errors = kept.complains(&["export", "bill", "--sign", "--equal", "net=bill"])?;
    ensure!(errors.contains("`net` is not proved to be equal to `bill`"), "{errors}");
    Ok(())
}

#[test]
fn a_store_without_keys_signs_nothing() -> Result<()> {
    let kept = Kept::new()?;
    kept.session(|client| client.evolve("one", "One", &json!("1")).map(drop))?;
    let errors = kept.complains(&["export", "one", "--sign"])?;
    ensure!(errors.contains("mcp-pif keys new"), "{errors}");
    Ok(())
}
