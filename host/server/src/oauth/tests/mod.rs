//! Tokens that are accepted, and all kinds that are not.

mod keys;
mod sets;

use std::time::Duration;

use pif_domain::{Principal, Scope};
use ring::hmac;
use serde_json::{Value, json};

use self::keys::{Pairs, encode};
use super::{Refusal, ScopeWords, VerifiedToken, Verifier};

const ISSUER: &str = "https://login.example.com";
const RESOURCE: &str = "https://pif.example.com/mcp";
const NOW: u64 = 1_800_000_000;
const ALGORITHMS: [&str; 4] = ["RS256", "PS256", "ES256", "EdDSA"];

fn claims() -> Value {
    json!({
        "iss": ISSUER,
        "aud": RESOURCE,
        "sub": "ana",
        "exp": NOW + 300,
        "iat": NOW,
        "scope": "openid read run",
    })
}

/// The claims with one of them changed, or removed.
fn claims_with(name: &str, value: Value) -> Value {
    let mut claims = claims();
    let members = claims.as_object_mut().expect("an object");
    match value {
        Value::Null => members.remove(name),
        value => members.insert(name.to_owned(), value),
    };
    claims
}

fn verifier(pairs: &Pairs) -> Verifier {
    Verifier::new(ISSUER, RESOURCE, &pairs.set()).expect("a verifier")
}

fn verify(pairs: &Pairs, token: &str) -> Result<VerifiedToken, Refusal> {
    verifier(pairs).verify(token, Duration::from_secs(NOW))
}

/// What comes of claims that are signed well.
fn tried(claims: &Value) -> Result<VerifiedToken, Refusal> {
    let pairs = Pairs::new();
    verify(&pairs, &pairs.sign("EdDSA", claims))
}

/// Checks that a part of a token was refused for a reason that has these words.
fn assert_unreadable(tried: &Result<VerifiedToken, Refusal>, in_part: &str, words: &str) {
    let is_meant = matches!(tried, Err(Refusal::Unreadable { part, reason })
        if *part == in_part && reason.contains(words));
    assert!(is_meant, "{words}: {tried:?}");
}

#[test]
fn each_algorithm_is_accepted() {
    let pairs = Pairs::new();
    let expected = VerifiedToken {
        subject: "ana".to_owned(),
        scope: Some(Scope::Run),
        words: ["openid", "read", "run"].map(str::to_owned).to_vec(),
        end: Duration::from_secs(NOW + 360),
    };
    for algorithm in ALGORITHMS {
        assert_eq!(verify(&pairs, &pairs.sign(algorithm, &claims())), Ok(expected.clone()));
    }
    let named = pairs.sign_as("EdDSA", r#"{"alg":"Ed25519"}"#, &claims().to_string());
    assert_eq!(verify(&pairs, &named), Ok(expected));
}

#[test]
fn no_part_can_be_changed() {
    let pairs = Pairs::new();
    for algorithm in ALGORITHMS {
        let token = pairs.sign(algorithm, &claims());
        let parts: Vec<&str> = token.split('.').collect();
        let other = pairs.sign(algorithm, &claims_with("sub", json!("eve")));
        let other: Vec<&str> = other.split('.').collect();
        let spaced = encode(format!(r#"{{"alg": "{algorithm}"}}"#));
        for forged in [
            [&spaced, parts[1], parts[2]],
            [parts[0], other[1], parts[2]],
            [parts[0], parts[1], other[2]],
            [parts[0], parts[1], ""],
        ] {
            assert_eq!(verify(&pairs, &forged.join(".")), Err(Refusal::Signature), "{algorithm}");
        }
        // A bit of the signature.
        let mut bytes = super::member::decode(parts[2]).expect("base64");
        for index in [0, bytes.len() / 2, bytes.len() - 1] {
            bytes[index] ^= 1;
            let forged = [parts[0], parts[1], &encode(&bytes)].join(".");
            assert_eq!(verify(&pairs, &forged), Err(Refusal::Signature), "{algorithm} {index}");
            bytes[index] ^= 1;
        }
    }
}

#[test]
fn no_character_can_be_changed() {
    let pairs = Pairs::new();
    let verifier = verifier(&pairs);
    for algorithm in ALGORITHMS {
        let token = pairs.sign(algorithm, &claims());
        for index in 0..token.len() {
            let mut forged = token.clone().into_bytes();
            forged[index] = if forged[index] == b'A' { b'B' } else { b'A' };
            let forged = String::from_utf8(forged).expect("ASCII");
            let verified = verifier.verify(&forged, Duration::from_secs(NOW));
            assert!(verified.is_err(), "{algorithm} {index}: {forged}");
            let cut = &token[..index];
            assert!(verifier.verify(cut, Duration::from_secs(NOW)).is_err(), "{cut}");
        }
    }
}

/// The RSA key of all pairs is the same.
#[test]
fn another_key_does_not_sign() {
    let pairs = Pairs::new();
    for algorithm in ["ES256", "EdDSA"] {
        let token = Pairs::new().sign(algorithm, &claims());
        assert_eq!(verify(&pairs, &token), Err(Refusal::Signature), "{algorithm}");
    }
}

#[test]
fn a_token_has_three_parts_of_base64() {
    let pairs = Pairs::new();
    let token = pairs.sign("ES256", &claims());
    let three = Err(Refusal::Malformed("it does not consist of three parts"));
    for wrong in ["", "a", "a.b", "....", "a.b.c.d.e", &format!("{token}.x")] {
        assert_eq!(verify(&pairs, wrong), three, "{wrong}");
    }
    let base64 = Err(Refusal::Malformed("a part is not base64"));
    for wrong in [format!("{token}="), format!(" {token}"), format!("{token}\n"), "é.é.é".into()]
    {
        assert_eq!(verify(&pairs, &wrong), base64, "{wrong}");
    }
    assert_unreadable(&verify(&pairs, ".."), "header", "not a JSON object");
    let header = r#"{"alg":"ES256"}"#;
    for (header, claims, part, words) in [
        ("[]", "{}", "header", "not a JSON object"),
        (r#"["ES256",null,null]"#, "{}", "header", "not a JSON object"),
        ("{\"alg\":", "{}", "header", "EOF"),
        (r#"{"alg":"ES256"} {}"#, "{}", "header", "trailing"),
        (header, "1", "payload", "not a JSON object"),
        (header, "{} {}", "payload", "missing field"),
    ] {
        let token = pairs.sign_as("ES256", header, claims);
        assert_unreadable(&verify(&pairs, &token), part, words);
    }
}

#[test]
fn a_token_is_not_too_long() {
    let pairs = Pairs::new();
    let with = |length| pairs.sign("EdDSA", &claims_with("more", json!("a".repeat(length))));
    let fits = with(11_000);
    assert!(fits.len() < 16_384 && verify(&pairs, &fits).is_ok());
    let long = with(16_384);
    assert_eq!(verify(&pairs, &long), Err(Refusal::TooLong(long.len())));
}

/// A token that names an algorithm for which the key is not meant, or none at all.
#[test]
fn the_token_does_not_choose_how_it_is_checked() {
    let pairs = Pairs::new();
    let claims = claims().to_string();
    let none = format!("{}.{}.", encode(r#"{"alg":"none"}"#), encode(&claims));
    assert_eq!(verify(&pairs, &none), Err(Refusal::Algorithm("none".to_owned())));
    for name in ["NONE", "HS256", "HS512", "RS512", "ES384", "rs256", "", "RSA-OAEP"] {
        let header = json!({"alg": name, "kid": "rsa"}).to_string();
        let token = pairs.sign_as("RS256", &header, &claims);
        assert_eq!(verify(&pairs, &token), Err(Refusal::Algorithm(name.to_owned())));
    }
    // The public key as a shared secret.
    let public = pairs.public()[0].to_string();
    let signed = format!("{}.{}", encode(r#"{"alg":"HS256","kid":"rsa"}"#), encode(&claims));
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, public.as_bytes()), signed.as_bytes());
    let token = format!("{signed}.{}", encode(tag));
    assert_eq!(verify(&pairs, &token), Err(Refusal::Algorithm("HS256".to_owned())));
    // A key of one kind, an algorithm of another.
    for (algorithm, id) in [("RS256", "p256"), ("ES256", "rsa"), ("EdDSA", "p256")] {
        let header = json!({"alg": algorithm, "kid": id}).to_string();
        let token = pairs.sign_as(algorithm, &header, &claims);
        let refusal = Refusal::UnknownKey { id: id.to_owned(), algorithm };
        assert_eq!(verify(&pairs, &token), Err(refusal));
    }
    // The right key, but another padding.
    for (said, used) in [("RS256", "PS256"), ("PS256", "RS256")] {
        let header = json!({"alg": said, "kid": "rsa"}).to_string();
        let token = pairs.sign_as(used, &header, &claims);
        assert_eq!(verify(&pairs, &token), Err(Refusal::Signature));
    }
    // A key that comes with the token.
    let own = Pairs::new();
    let header = json!({"alg": "ES256", "jwk": own.public()[1], "jku": "https://eve"}).to_string();
    let token = own.sign_as("ES256", &header, &claims);
    assert_eq!(verify(&pairs, &token), Err(Refusal::Signature));
}

#[test]
fn the_header_is_of_an_access_token() {
    let pairs = Pairs::new();
    let with = |header: Value| {
        verify(&pairs, &pairs.sign_as("EdDSA", &header.to_string(), &claims().to_string()))
    };
    for kind in ["JWT", "at+jwt", "AT+JWT", "application/at+jwt"] {
        assert!(with(json!({"alg": "EdDSA", "typ": kind})).is_ok(), "{kind}");
    }
    for kind in ["logout+jwt", "dpop+jwt", ""] {
        let refusal = Err(Refusal::Type(kind.to_owned()));
        assert_eq!(with(json!({"alg": "EdDSA", "typ": kind})), refusal);
    }
    for (header, words) in [
        (json!({"alg": "EdDSA", "typ": 1}), "expected a string"),
        (json!({"alg": "EdDSA", "kid": 1}), "expected a string"),
        (json!({"alg": ["EdDSA"]}), "expected a string"),
        (json!({"kid": "ed25519"}), "missing field `alg`"),
    ] {
        assert_unreadable(&with(header), "header", words);
    }
    for critical in [json!(["b64"]), json!([]), json!(null)] {
        let extended = json!({"alg": "EdDSA", "crit": critical, "b64": false});
        assert_eq!(with(extended), Err(Refusal::Extended));
    }
}

#[test]
fn no_member_occurs_twice() {
    let pairs = Pairs::new();
    let claims = claims().to_string();
    let header = r#"{"alg":"none","alg":"EdDSA"}"#;
    let token = pairs.sign_as("EdDSA", header, &claims);
    assert_unreadable(&verify(&pairs, &token), "header", "duplicate field `alg`");
    let open = claims.trim_end_matches('}');
    for (more, name) in
        [(r#""sub":"eve""#, "sub"), (r#""\u0061ud":[]"#, "aud"), (r#""scope":"admin""#, "scope")]
    {
        let claims = format!("{open},{more}}}");
        let token = pairs.sign_as("EdDSA", r#"{"alg":"EdDSA"}"#, &claims);
        assert_unreadable(&verify(&pairs, &token), "payload", &format!("duplicate field `{name}`"));
    }
}

#[test]
fn the_token_is_from_the_issuer_for_this_resource() {
    for issuer in ["https://login.example.com/", "https://LOGIN.example.com", ""] {
        let refusal = Err(Refusal::Issuer(issuer.to_owned()));
        assert_eq!(tried(&claims_with("iss", json!(issuer))), refusal);
    }
    assert_unreadable(&tried(&claims_with("iss", json!([ISSUER]))), "payload", "expected a string");
    assert_unreadable(&tried(&claims_with("iss", Value::Null)), "payload", "missing field `iss`");
    assert!(tried(&claims_with("aud", json!(["https://other", RESOURCE]))).is_ok());
    assert!(tried(&claims_with("aud", json!("https://PIF.example.com/mcp/"))).is_ok());
    for audience in [json!("https://pif.example.com"), json!([]), json!(["https://other"])] {
        let refused = tried(&claims_with("aud", audience));
        assert!(matches!(refused, Err(Refusal::Audience(_))), "{refused:?}");
    }
    for audience in [json!(1), json!([RESOURCE, 1]), json!({"a": RESOURCE}), json!([[RESOURCE]])] {
        assert_unreadable(
            &tried(&claims_with("aud", audience)),
            "payload",
            "a string or a list of strings",
        );
    }
    assert_unreadable(&tried(&claims_with("aud", Value::Null)), "payload", "missing field `aud`");
}

#[test]
fn a_token_has_its_time() {
    for (expiry, is_valid) in
        [(json!(NOW - 59), true), (json!(NOW - 60), false), (json!(0), false), (json!(1e12), true)]
    {
        let expected = if is_valid { None } else { Some(Refusal::Expired) };
        assert_eq!(tried(&claims_with("exp", expiry.clone())).err(), expected, "{expiry}");
    }
    for (start, is_valid) in [(json!(NOW + 60), true), (json!(NOW + 61), false), (json!(-1), true)]
    {
        let expected = if is_valid { None } else { Some(Refusal::Early) };
        assert_eq!(tried(&claims_with("nbf", start.clone())).err(), expected, "{start}");
    }
    assert_unreadable(&tried(&claims_with("exp", Value::Null)), "payload", "missing field `exp`");
    for name in ["exp", "nbf", "iat"] {
        for value in [json!("1900000000"), json!(true), json!([1_900_000_000]), json!({})] {
            assert_unreadable(&tried(&claims_with(name, value)), "payload", "expected f64");
        }
    }
}

#[test]
fn a_token_has_a_subject_and_scopes() {
    for subject in ["", "a\nb", "a\u{0}", "a\u{202e}b", &"a".repeat(256)] {
        assert_eq!(tried(&claims_with("sub", json!(subject))), Err(Refusal::Subject));
    }
    assert_unreadable(&tried(&claims_with("sub", Value::Null)), "payload", "missing field `sub`");
    assert_unreadable(&tried(&claims_with("sub", json!(7))), "payload", "expected a string");
    let scope = |claims: Value| tried(&claims).expect("a token").scope;
    for (words, greatest) in [
        ("  run  ", Some(Scope::Run)),
        ("admin read", Some(Scope::Admin)),
        ("read evolve openid", Some(Scope::Evolve)),
        ("openid profile", None),
        ("ADMIN admin, pif:admin", None),
        ("", None),
    ] {
        assert_eq!(scope(claims_with("scope", json!(words))), greatest, "{words}");
    }
    assert_eq!(scope(claims_with("scope", Value::Null)), None);
    assert_eq!(scope(claims_with("scope", json!(["openid", "run"]))), Some(Scope::Run));
    assert_unreadable(
        &tried(&claims_with("scope", json!(7))),
        "payload",
        "a string or a list of strings",
    );
    assert_unreadable(
        &tried(&claims_with("roles", json!({}))),
        "payload",
        "a string or a list of strings",
    );
    for list in [json!(["read", "evolve"]), json!("read evolve")] {
        let mut claims = claims_with("scope", Value::Null);
        claims["scp"] = list;
        assert_eq!(scope(claims), Some(Scope::Evolve));
    }
    // A role means a scope only if a setting says so.
    for name in ["roles", "permissions", "groups"] {
        assert_eq!(scope(claims_with(name, json!(["admin"]))), Some(Scope::Run));
    }
}

#[test]
fn settings_say_what_an_issuer_means() {
    let pairs = Pairs::new();
    let words = |it: &[&str]| it.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
    let map = ScopeWords::read(
        &words(&["api://pif/run=run", "pif:all=admin"]),
        &words(&["Maker=evolve"]),
    );
    let verifier = verifier(&pairs).accepting(&words(&["6f1d0bde"]), &map.expect("words"));
    let tried = |changes: Value| {
        let mut claims = claims_with("scope", Value::Null);
        let members = claims.as_object_mut().expect("an object");
        members.extend(changes.as_object().expect("an object").clone());
        let token = pairs.sign("EdDSA", &claims);
        verifier.verify(&token, Duration::from_secs(NOW)).map(|it| it.scope)
    };
    assert_eq!(tried(json!({"aud": "6f1d0bde", "scp": "api://pif/run"})), Ok(Some(Scope::Run)));
    assert_eq!(tried(json!({"scope": ["pif:all", "openid"]})), Ok(Some(Scope::Admin)));
    for name in ["roles", "permissions", "groups"] {
        assert_eq!(tried(json!({name: ["Maker", "admin"]})), Ok(Some(Scope::Evolve)), "{name}");
    }
    assert_eq!(tried(json!({"scope": "Maker", "roles": ["pif:all"]})), Ok(None));
    assert!(tried(json!({"aud": "6F1D0BDE", "scope": "run"})).is_err());
}

#[test]
fn a_token_with_a_scope_is_a_principal() {
    let principal =
        |words: &str| tried(&claims_with("scope", json!(words))).expect("a token").principal();
    assert_eq!(principal("run"), Some(Principal::new("oauth:ana", Scope::Run)));
    assert_eq!(principal("openid"), None);
}

#[test]
fn a_token_that_is_bound_to_a_key_is_no_bearer_token() {
    let claims = claims_with("cnf", json!({"jkt": "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"}));
    assert_eq!(tried(&claims), Err(Refusal::Bound));
}
