//! TLS, from a chain of certificates and a key in PEM files. They are read before the process is
//! sealed, and again on demand.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pif_system::{ForbiddenAccess, read_owned};
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

use super::reread::Reread;

/// The most bytes of a file.
const MOST_BYTES: u64 = 1 << 20;

/// What makes connections private.
#[derive(Debug)]
pub struct Tls {
    certificates: PathBuf,
    key: PathBuf,
    current: Reread<ActiveCertificate>,
}

/// The certificates and the key in force.
struct ActiveCertificate(TlsAcceptor);

impl std::fmt::Debug for ActiveCertificate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Current").finish_non_exhaustive()
    }
}

impl Tls {
    /// Reads the certificates and the key. The error names the file.
    pub fn read(certificates: PathBuf, key: PathBuf) -> Result<Self, String> {
        let current = acceptor(&certificates, &key)?;
        let files = format!("{}, {}", certificates.display(), key.display());
        Ok(Self { certificates, key, current: Reread::new(files, current) })
    }

    /// Reads the files again. Connections that there are go on.
    pub(super) fn reload(&self) {
        self.current.renew(|| acceptor(&self.certificates, &self.key));
    }

    /// What makes the next connection private.
    pub(super) fn acceptor(&self) -> TlsAcceptor {
        self.current.get().0.clone()
    }
}

fn acceptor(certificates: &Path, key: &Path) -> Result<ActiveCertificate, String> {
    let of = |file: &Path, reason: String| format!("{}: {reason}", file.display());
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(certificates)
        .and_then(Iterator::collect)
        .map_err(|error| of(certificates, format!("it has no certificates in PEM: {error}")))?;
    if chain.is_empty() {
        return Err(of(certificates, "it has no certificates in PEM".to_owned()));
    }
    let text =
        read_owned(key, MOST_BYTES, ForbiddenAccess::Any).map_err(|reason| of(key, reason))?;
    let private = PrivateKeyDer::from_pem_slice(text.as_bytes())
        .map_err(|error| of(key, format!("it has no private key in PEM: {error}")))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_no_client_auth()
        .with_single_cert(chain, private)
        .map_err(|error| of(key, format!("the key and the certificate do not fit: {error}")))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(ActiveCertificate(TlsAcceptor::from(Arc::new(config))))
}
