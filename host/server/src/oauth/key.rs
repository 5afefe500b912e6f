//! A public key (RFC 7517, RFC 7518, RFC 8037) and the signatures that it checks.

use pif_domain::json::Members;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RSA_PSS_2048_8192_SHA256,
    RsaPublicKeyComponents, UnparsedPublicKey, VerificationAlgorithm,
};

use super::algorithm::Algorithm;
use super::member::{decode, text, texts};

/// The lengths of an RSA modulus in bytes: 2048 to 8192 bits.
const MODULUS: std::ops::RangeInclusive<usize> = 256..=1_024;
/// The length of a coordinate on the curve P-256, and of a point on Ed25519.
const COORDINATE: usize = 32;
/// The first byte of a point with both coordinates.
const UNCOMPRESSED: u8 = 4;
/// Members of private keys.
const PRIVATE: [&str; 3] = ["d", "p", "k"];

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

impl Key {
    /// Reads a key. The error says why the key is unusable.
    pub(super) fn read(json: &str) -> Result<Self, &'static str> {
        let members = Members::parse(json).map_err(|_| "it is not an object")?;
        if members.duplicate().is_some() {
            return Err("a member occurs twice");
        }
        if PRIVATE.iter().any(|name| members.has(name)) {
            return Err("it is a private key");
        }
        let purpose = text(&members, "use").map_err(|()| "`use` is not a string")?;
        let operations = texts(&members, "key_ops").map_err(|()| "`key_ops` is not a list")?;
        let is_verify = |names: Vec<String>| names.iter().any(|name| name == "verify");
        if purpose.is_some_and(|it| it != "sig") || !operations.is_none_or(is_verify) {
            return Err("it is not for signatures");
        }
        let algorithm = match text(&members, "alg").map_err(|()| "`alg` is not a string")? {
            None => None,
            Some(name) => Some(Algorithm::find(&name).ok_or("its algorithm is not accepted")?),
        };
        let id = text(&members, "kid").map_err(|()| "`kid` is not a string")?;
        let key = Self { id, algorithm, material: Material::read(&members)? };
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
    fn read(members: &Members<'_>) -> Result<Self, &'static str> {
        let kind = text(members, "kty").ok().flatten().ok_or("`kty` is missing")?;
        let curve = text(members, "crv").ok().flatten();
        match (kind.as_str(), curve.as_deref()) {
            ("RSA", _) => {
                let modulus = bytes(members, "n").ok_or("`n` is not base64")?;
                let exponent = bytes(members, "e").ok_or("`e` is not base64")?;
                if !MODULUS.contains(&modulus.len()) || modulus.first() == Some(&0) {
                    return Err("`n` does not have 2048 to 8192 bits");
                }
                Ok(Self::Rsa { modulus, exponent })
            }
            ("EC", Some("P-256")) => {
                let coordinate = |name| {
                    bytes(members, name)
                        .filter(|it| it.len() == COORDINATE)
                        .ok_or("a coordinate does not have 32 bytes of base64")
                };
                Ok(Self::P256([vec![UNCOMPRESSED], coordinate("x")?, coordinate("y")?].concat()))
            }
            ("OKP", Some("Ed25519")) => {
                let point = bytes(members, "x").filter(|it| it.len() == COORDINATE);
                Ok(Self::Ed25519(point.ok_or("`x` does not have 32 bytes of base64")?))
            }
            _ => Err("its type or curve is not accepted"),
        }
    }
}

fn bytes(members: &Members<'_>, name: &str) -> Option<Vec<u8>> {
    decode(&text(members, name).ok()??)
}
