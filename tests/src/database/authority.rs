//! An authority that vouches for databases of tests.

use anyhow::Result;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};

/// An authority.
#[derive(Debug)]
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    certificate: String,
}

impl Authority {
    /// A new one.
    pub fn new() -> Result<Self> {
        let key = KeyPair::generate()?;
        let mut authority = CertificateParams::new(Vec::new())?;
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = authority.self_signed(&key)?.pem();
        Ok(Self { issuer: Issuer::new(authority, key), certificate })
    }

    /// Its certificate.
    #[must_use]
    pub fn certificate(&self) -> &str {
        &self.certificate
    }

    /// A certificate for a name, and its key.
    pub fn vouch(&self, name: &str) -> Result<(String, String)> {
        let key = KeyPair::generate()?;
        let certificate =
            CertificateParams::new([name.to_owned()])?.signed_by(&key, &self.issuer)?;
        Ok((certificate.pem(), key.serialize_pem()))
    }
}
