//! Sets of keys, and the key that a token gets.

use std::time::Duration;

use pif_domain::Scope;
use serde_json::{Value, json};

use super::super::algorithm::Algorithm;
use super::super::key::Key;
use super::super::member::decode;
use super::keys::Pairs;
use super::{ISSUER, NOW, RESOURCE, Refusal, Verifier, claims, verify};

fn with(keys: &Value) -> Result<Verifier, String> {
    let set = json!({"keys": keys}).to_string();
    Verifier::new(ISSUER, RESOURCE, &set).map_err(|error| error.to_string())
}

fn reason(key: &Value) -> String {
    with(&json!([key])).expect_err("an unusable key")
}

/// Tokens of RFC 7515 (A.3) and RFC 8037 (A.4).
#[test]
fn the_tokens_of_the_standards_are_right() {
    for (key, token) in [
        (
            r#"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#,
            "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q",
        ),
        (
            r#"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#,
            "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg",
        ),
    ] {
        let key = Key::read(key).expect("a key");
        let (signed, signature) = token.rsplit_once('.').expect("a signature");
        let signature = decode(signature).expect("base64");
        let all = [Algorithm::Rs256, Algorithm::Ps256, Algorithm::Es256, Algorithm::EdDsa];
        let right = all.map(|it| key.verify(it, signed.as_bytes(), &signature));
        assert_eq!(right, all.map(|it| key.fits(it)), "{token}");
        assert_eq!(right.iter().filter(|it| **it).count(), 1, "{token}");
        let changed = signed.to_lowercase();
        assert!(!all.iter().any(|it| key.verify(*it, changed.as_bytes(), &signature)));
    }
}

/// The salt of PS256 is as long as the hash.
#[test]
fn tokens_of_another_implementation_are_right() {
    let others: Value = serde_json::from_str(include_str!("python.json")).expect("JSON");
    let verifier = with(&json!([others["key"]])).expect("a set");
    let tried = |name: &str| {
        verifier.verify(others[name].as_str().expect("a token"), Duration::from_secs(NOW))
    };
    for algorithm in ["RS256", "PS256"] {
        let verified = tried(algorithm).expect(algorithm);
        assert_eq!((verified.subject.as_str(), verified.scope), ("ana", Some(Scope::Run)));
    }
    assert_eq!(tried("longer salt"), Err(Refusal::Signature));
}

#[test]
fn a_set_is_an_object_with_keys() {
    let refused = |set: &str| Verifier::new(ISSUER, RESOURCE, set).expect_err(set).to_string();
    assert!(refused("").contains("EOF"));
    assert!(refused("1").contains("invalid type"));
    assert!(refused("{}").contains("missing field `keys`"));
    assert!(refused(r#"{"keys":{}}"#).contains("expected a sequence"));
    assert!(refused(r#"{"keys":[]}"#).contains("no key to check"));
    assert!(refused(r#"{"keys":[1]}"#).contains("/keys/0 is not used: invalid type"));
    let pairs = Pairs::new();
    let twice = format!(r#"{{"keys":[],{}"#, pairs.set().trim_start_matches('{'));
    assert!(refused(&twice).contains("duplicate field `keys`"));
    let large = format!("{}{}", pairs.set(), " ".repeat(256 << 10));
    assert!(refused(&large).contains("256 KiB"));
    let key = pairs.public().remove(1);
    assert!(with(&json!(vec![key.clone(); 64])).is_ok());
    assert!(with(&json!(vec![key; 65])).expect_err("too many").contains("64 keys"));
}

#[test]
fn the_issuer_and_the_resource_are_urls() {
    let set = Pairs::new().set();
    assert!(Verifier::new("http://login.example.com", RESOURCE, &set).is_err());
    assert!(Verifier::new(ISSUER, "pif", &set).is_err());
    assert!(Verifier::new(ISSUER, "http://localhost:7332/mcp", &set).is_ok());
}

#[test]
fn keys_of_other_kinds_are_left_out() {
    let mut keys = Pairs::new().public();
    keys.push(json!({"kty": "oct", "k": "AAAA"}));
    keys.push(json!({"kty": "EC", "crv": "P-384", "x": "", "y": ""}));
    let verifier = with(&json!(keys)).expect("a set");
    let notes = [
        "/keys/3 is not used: it is a private key",
        "/keys/4 is not used: its type or curve is not accepted",
    ];
    assert_eq!(verifier.notes(), notes);
}

#[test]
fn an_unusable_key_is_told() {
    let [rsa, p256, ed25519] = &Pairs::new().public()[..] else { unreachable!() };
    let change = |key: &Value, name: &str, value: Value| {
        let mut key = key.clone();
        key[name] = value;
        reason(&key)
    };
    for (told, expected) in [
        (change(rsa, "alg", json!("RS512")), "algorithm is not accepted"),
        (change(rsa, "alg", json!("ES256")), "does not fit"),
        (change(rsa, "use", json!("enc")), "not for signatures"),
        (change(rsa, "key_ops", json!(["encrypt"])), "not for signatures"),
        (change(rsa, "n", json!("AQAB")), "2048 to 8192 bits"),
        (change(rsa, "n", json!("A".repeat(400))), "2048 to 8192 bits"),
        (change(rsa, "n", json!("AQAB==")), "not base64"),
        (change(rsa, "e", json!(65_537)), "expected a string"),
        (change(rsa, "kid", json!(1)), "expected a string"),
        (change(p256, "crv", json!("P-521")), "type or curve"),
        (change(p256, "x", json!("AAAA")), "32 bytes"),
        (change(p256, "d", json!("AAAA")), "private key"),
        (change(ed25519, "crv", json!("X25519")), "type or curve"),
        (change(ed25519, "x", json!("AAAA")), "32 bytes"),
        (change(ed25519, "kty", json!(null)), "expected a string"),
    ] {
        assert!(told.contains(expected), "{told}");
    }
    let twice = format!(r#"{{"keys":[{{"kty":"oct",{}]}}"#, &rsa.to_string()[1..]);
    let told = Verifier::new(ISSUER, RESOURCE, &twice).expect_err("twice").to_string();
    assert!(told.contains("duplicate field `kty`"), "{told}");
}

#[test]
fn a_token_names_its_key_unless_only_one_fits() {
    let pairs = Pairs::new();
    let token = |id: Value| {
        let header = json!({"alg": "ES256", "kid": id}).to_string().replace(r#","kid":null"#, "");
        pairs.sign_as("ES256", &header, &claims().to_string())
    };
    assert!(verify(&pairs, &token(Value::Null)).is_ok());
    assert!(verify(&pairs, &token(json!("p256"))).is_ok());
    for id in ["P256", "", "other"] {
        let refusal = Refusal::UnknownKey { id: id.to_owned(), algorithm: "ES256" };
        assert_eq!(verify(&pairs, &token(json!(id))), Err(refusal));
    }
    let now = Duration::from_secs(NOW);
    let [own, other] = [pairs.public().remove(1), Pairs::new().public().remove(1)];
    // Two keys fit: the name decides, or nothing does.
    let mut renamed = other.clone();
    renamed["kid"] = json!("next");
    let both = with(&json!([own, renamed])).expect("a set");
    assert!(both.verify(&token(json!("p256")), now).is_ok());
    assert_eq!(both.verify(&token(json!("next")), now), Err(Refusal::Signature));
    assert_eq!(both.verify(&token(Value::Null), now), Err(Refusal::AmbiguousKey));
    let alike = with(&json!([own, other])).expect("a set");
    assert_eq!(alike.verify(&token(json!("p256")), now), Err(Refusal::AmbiguousKey));
    // The key says that it is for another algorithm.
    let mut rsa = pairs.public().remove(0);
    rsa["alg"] = json!("PS256");
    let only = with(&json!([rsa])).expect("a set");
    assert!(only.verify(&pairs.sign("PS256", &claims()), now).is_ok());
    let refusal = Refusal::UnknownKey { id: "rsa".to_owned(), algorithm: "RS256" };
    assert_eq!(only.verify(&pairs.sign("RS256", &claims()), now), Err(refusal));
}

#[test]
fn keys_change_while_the_server_runs() {
    let old = Pairs::new();
    let new = Pairs::new();
    let now = Duration::from_secs(NOW);
    let mut verifier = Verifier::new(ISSUER, RESOURCE, &old.set()).expect("a verifier");
    let [former, later] = [&old, &new].map(|pairs| pairs.sign("EdDSA", &claims()));
    assert!(verifier.verify(&former, now).is_ok());
    assert!(verifier.renew("{}").is_err());
    assert!(verifier.verify(&former, now).is_ok());
    verifier.renew(&new.set()).expect("keys");
    assert!(verifier.verify(&later, now).is_ok());
    assert_eq!(verifier.verify(&former, now), Err(Refusal::Signature));
}
