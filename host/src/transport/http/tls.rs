//! TLS, from a chain of certificates and a key in PEM files. They are read before the process is
//! sealed.

use std::path::Path;
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

/// What makes a connection private.
pub type Tls = TlsAcceptor;

/// Reads the certificates and the key. The error names the file.
pub fn acceptor(certificates: &Path, key: &Path) -> Result<Tls, String> {
    let of = |file: &Path, reason: String| format!("{}: {reason}", file.display());
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(certificates)
        .and_then(Iterator::collect)
        .map_err(|error| of(certificates, format!("it has no certificates in PEM: {error}")))?;
    if chain.is_empty() {
        return Err(of(certificates, "it has no certificates in PEM".to_owned()));
    }
    let private = PrivateKeyDer::from_pem_file(key)
        .map_err(|error| of(key, format!("it has no private key in PEM: {error}")))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_no_client_auth()
        .with_single_cert(chain, private)
        .map_err(|error| of(key, format!("the key and the certificate do not fit: {error}")))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}
