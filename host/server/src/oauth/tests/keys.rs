//! Key pairs of an issuer, which signs tokens with them.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _, RSA_PKCS1_SHA256,
    RSA_PSS_SHA256, RsaKeyPair, RsaPublicKeyComponents,
};
use serde_json::{Value, json};

/// A key of 2048 bits that openssl made: ring makes none.
const RSA: &[u8] = include_bytes!("rsa.pk8");

/// A key pair of each kind. The RSA key is always the same.
pub(super) struct Pairs {
    rsa: RsaKeyPair,
    p256: EcdsaKeyPair,
    ed25519: Ed25519KeyPair,
    random: SystemRandom,
}

pub(super) fn encode(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

impl Pairs {
    pub(super) fn new() -> Self {
        let random = SystemRandom::new();
        let p256 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random);
        let p256 = p256.expect("a key").as_ref().to_vec();
        let p256 = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &p256, &random);
        let ed25519 = Ed25519KeyPair::generate_pkcs8(&random).expect("a key");
        Self {
            rsa: RsaKeyPair::from_pkcs8(RSA).expect("a key"),
            p256: p256.expect("a key"),
            ed25519: Ed25519KeyPair::from_pkcs8(ed25519.as_ref()).expect("a key"),
            random,
        }
    }

    /// The public keys: `rsa`, `p256` and `ed25519`.
    pub(super) fn public(&self) -> Vec<Value> {
        let rsa = RsaPublicKeyComponents::<Vec<u8>>::from(self.rsa.public());
        let modulus = encode(rsa.n);
        let exponent = encode(rsa.e);
        let (_, point) = self.p256.public_key().as_ref().split_at(1);
        let (x, y) = point.split_at(32);
        vec![
            json!({"kty": "RSA", "kid": "rsa", "use": "sig", "n": modulus, "e": exponent}),
            json!({"kty": "EC", "kid": "p256", "crv": "P-256", "x": encode(x), "y": encode(y)}),
            json!({
                "kty": "OKP",
                "kid": "ed25519",
                "crv": "Ed25519",
                "x": encode(self.ed25519.public_key()),
            }),
        ]
    }

    /// The set of these keys.
    pub(super) fn set(&self) -> String {
        json!({"keys": self.public()}).to_string()
    }

    /// A token with a signature of the kind that the name of the algorithm says.
    pub(super) fn sign_as(&self, algorithm: &str, header: &str, claims: &str) -> String {
        let signed = format!("{}.{}", encode(header), encode(claims));
        let message = signed.as_bytes();
        let rsa = |padding| {
            let mut signature = vec![0; self.rsa.public().modulus_len()];
            self.rsa.sign(padding, &self.random, message, &mut signature).expect("a signature");
            signature
        };
        let signature = match algorithm {
            "RS256" => rsa(&RSA_PKCS1_SHA256),
            "PS256" => rsa(&RSA_PSS_SHA256),
            "ES256" => {
                let signature = self.p256.sign(&self.random, message).expect("a signature");
                signature.as_ref().to_vec()
            }
            _ => self.ed25519.sign(message).as_ref().to_vec(),
        };
        format!("{signed}.{}", encode(signature))
    }

    /// A token with the usual header.
    pub(super) fn sign(&self, algorithm: &str, claims: &Value) -> String {
        let header = json!({"alg": algorithm, "typ": "at+jwt", "kid": name(algorithm)});
        self.sign_as(algorithm, &header.to_string(), &claims.to_string())
    }
}

/// The name of the key for an algorithm.
fn name(algorithm: &str) -> &'static str {
    match algorithm {
        "RS256" | "PS256" => "rsa",
        "ES256" => "p256",
        _ => "ed25519",
    }
}
