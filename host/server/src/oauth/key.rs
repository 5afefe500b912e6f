//! A public key (RFC 7517, RFC 7518, RFC 8037) and the signatures that it checks.

use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RSA_PSS_2048_8192_SHA256,
    RsaPublicKeyComponents, UnparsedPublicKey, VerificationAlgorithm,
};
use serde::Deserialize;

use super::algorithm::Algorithm;
use super::member::{Base64, is_present};

/// The lengths of an RSA modulus in bytes: 2048 to 8192 bits.
const MODULUS: std::ops::RangeInclusive<usize> = 256..=1_024;
/// The length of a coordinate on the curve P-256, and of a point on Ed25519.
const COORDINATE: usize = 32;
/// The first byte of a point with both coordinates.
const UNCOMPRESSED: u8 = 4;

/// A public key of the issuer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Key {
    /// The name that tokens give it.
    pub(super) id: Option<String>,
    /// The only algorithm that it is for, if the issuer says so.
    algorithm: Option<Algorithm>,
    material: Material,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Material {
    Rsa { modulus: Vec<u8>, exponent: Vec<u8> },
    P256(Vec<u8>),
    Ed25519(Vec<u8>),
}

/// The members of a key that are read.
#[derive(Debug, Deserialize)]
struct Jwk {
    kty: String,
    crv: Option<String>,
    kid: Option<String>,
    alg: Option<String>,
    #[serde(rename = "use")]
    purpose: Option<String>,
    key_ops: Option<Vec<String>>,
    n: Option<Base64>,
    e: Option<Base64>,
    x: Option<Base64>,
    y: Option<Base64>,
    #[serde(default, alias = "p", alias = "k", deserialize_with = "is_present")]
    d: bool,
}

impl Key {
    /// Reads a key. The error says why the key is unusable.
    pub(super) fn read(json: &str) -> Result<Self, String> {
        let jwk: Jwk = serde_json::from_str(json).map_err(|error| error.to_string())?;
        Ok(Self::from_jwk(jwk)?)
    }

    fn from_jwk(jwk: Jwk) -> Result<Self, &'static str> {
        if jwk.d {
            return Err("it is a private key");
        }
        let is_verify = |names: &[String]| names.iter().any(|name| name == "verify");
        let is_for_signatures = jwk.purpose.as_deref().is_none_or(|purpose| purpose == "sig");
        if !is_for_signatures || !jwk.key_ops.as_deref().is_none_or(is_verify) {
            return Err("it is not for signatures");
        }
        let algorithm = match &jwk.alg {
            None => None,
            Some(name) => Some(Algorithm::find(name).ok_or("its algorithm is not accepted")?),
        };
        let material = Material::from_jwk(&jwk)?;
        let key = Self { id: jwk.kid, algorithm, material };
        match algorithm {
            Some(algorithm) if !key.fits(algorithm) => Err("`alg` does not fit `kty`"),
            _ => Ok(key),
        }
    }

    /// Whether the key can check signatures of this algorithm.
    pub(super) fn fits(&self, algorithm: Algorithm) -> bool {
        let is_right = match self.material {
            Material::Rsa { .. } => matches!(algorithm, Algorithm::Rs256 | Algorithm::Ps256),
            Material::P256(_) => algorithm == Algorithm::Es256,
            Material::Ed25519(_) => algorithm == Algorithm::EdDsa,
        };
        is_right && self.algorithm.is_none_or(|only| only == algorithm)
    }

    /// Whether the signature of a message is right.
    pub(super) fn verify(&self, algorithm: Algorithm, message: &[u8], signature: &[u8]) -> bool {
        let checked = match (&self.material, algorithm) {
            _ if !self.fits(algorithm) => return false,
            (Material::Rsa { modulus: n, exponent: e }, Algorithm::Rs256) => {
                let key = RsaPublicKeyComponents { n, e };
                key.verify(&RSA_PKCS1_2048_8192_SHA256, message, signature)
            }
            (Material::Rsa { modulus: n, exponent: e }, _) => {
                let key = RsaPublicKeyComponents { n, e };
                key.verify(&RSA_PSS_2048_8192_SHA256, message, signature)
            }
            (Material::P256(point), _) => {
                unparsed(&ECDSA_P256_SHA256_FIXED, point).verify(message, signature)
            }
            (Material::Ed25519(point), _) => unparsed(&ED25519, point).verify(message, signature),
        };
        checked.is_ok()
    }
}

fn unparsed<'a>(
    algorithm: &'static dyn VerificationAlgorithm,
    point: &'a [u8],
) -> UnparsedPublicKey<&'a [u8]> {
    UnparsedPublicKey::new(algorithm, point)
}

impl Material {
    fn from_jwk(jwk: &Jwk) -> Result<Self, &'static str> {
        let coordinate = |member: &Option<Base64>| {
            let bytes = member.as_ref().filter(|it| it.0.len() == COORDINATE);
            bytes.map(|it| it.0.clone()).ok_or("a coordinate does not have 32 bytes")
        };
        match (jwk.kty.as_str(), jwk.crv.as_deref()) {
            ("RSA", _) => {
                let (Some(Base64(modulus)), Some(Base64(exponent))) = (&jwk.n, &jwk.e) else {
                    return Err("it has no `n` and `e`");
                };
                if !MODULUS.contains(&modulus.len()) || modulus.first() == Some(&0) {
                    return Err("`n` does not have 2048 to 8192 bits");
                }
                Ok(Self::Rsa { modulus: modulus.clone(), exponent: exponent.clone() })
            }
            ("EC", Some("P-256")) => Ok(Self::P256(
                [vec![UNCOMPRESSED], coordinate(&jwk.x)?, coordinate(&jwk.y)?].concat(),
            )),
            ("OKP", Some("Ed25519")) => Ok(Self::Ed25519(coordinate(&jwk.x)?)),
            _ => Err("its type or curve is not accepted"),
        }
    }
}
