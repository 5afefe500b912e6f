//! TLS with the database.

use std::io;
use std::sync::{Arc, OnceLock};

use postgres_protocol::message::frontend;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error as TlsError, RootCertStore,
    SignatureScheme,
};
use rustls_platform_verifier::Verifier;
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::address::{Address, Privacy};
use super::error::{Error, Kind};
use super::wire::write;

/// Makes a connection private.
pub(super) async fn secure(
    mut stream: TcpStream,
    address: &Address,
    name: &str,
) -> Result<TlsStream<TcpStream>, Error> {
    let config = config(address)?;
    let host = ServerName::try_from(name.to_owned());
    let host = host.map_err(|_| untrusted(format!("`{name}` is no name that TLS can verify")))?;
    if !offers(&mut stream).await.map_err(|error| untrusted(error.to_string()))? {
        return Err(untrusted(
            "it speaks no TLS: set `ssl = on` in its postgresql.conf, or write sslmode=disable if \
             nobody can listen on the way",
        ));
    }
    TlsConnector::from(config).connect(host, stream).await.map_err(|error| refused(&error, address))
}

/// Whether the database speaks TLS. What follows its answer must come from TLS, so one byte is read.
async fn offers(stream: &mut TcpStream) -> io::Result<bool> {
    write(stream, |to| {
        frontend::ssl_request(to);
        Ok(())
    })
    .await?;
    Ok(stream.read_u8().await? == b'S')
}

fn untrusted(message: impl Into<String>) -> Error {
    Error::new(Kind::Untrusted, message)
}

/// Why no private connection came about, with advice.
fn refused(error: &io::Error, address: &Address) -> Error {
    let reason = error.get_ref().and_then(|it| it.downcast_ref::<TlsError>());
    let Some(TlsError::InvalidCertificate(reason)) = reason else {
        return untrusted(format!("no private connection came about: {error}"));
    };
    let host = &address.host;
    untrusted(match reason {
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            "its certificate comes from an authority that is not \
            known here: name the authority's certificate by sslrootcert=FILE"
                .to_owned()
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            format!("its certificate is for another name than `{host}`: use the name that it has")
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "its certificate has expired: renew it".to_owned()
        }
        other => format!("its certificate is not valid: {other}"),
    })
}

fn config(address: &Address) -> Result<Arc<ClientConfig>, Error> {
    /// What the system's authorities vouch for. Reading them takes long.
    static USUAL: OnceLock<Arc<ClientConfig>> = OnceLock::new();
    let provider = Arc::new(ring::default_provider());
    match (address.privacy, &address.authorities) {
        (Privacy::Disable | Privacy::Require, _) => any_name(&provider, None),
        (Privacy::VerifyCa, Some(_)) => any_name(&provider, Some(verifier(address, &provider)?)),
        (_, Some(_)) => configured(&provider, verifier(address, &provider)?),
        (_, None) => {
            if let Some(config) = USUAL.get() {
                return Ok(Arc::clone(config));
            }
            let verifier = Verifier::new(Arc::clone(&provider)).map_err(|error| {
                untrusted(format!(
                    "the system's authorities cannot be read ({error}): name one by \
                     sslrootcert=FILE"
                ))
            })?;
            let config = configured(&provider, Arc::new(verifier))?;
            Ok(Arc::clone(USUAL.get_or_init(|| config)))
        }
    }
}

fn any_name(
    provider: &Arc<CryptoProvider>,
    authorities: Option<Arc<WebPkiServerVerifier>>,
) -> Result<Arc<ClientConfig>, Error> {
    configured(provider, Arc::new(AnyName { authorities, provider: Arc::clone(provider) }))
}

fn configured(
    provider: &Arc<CryptoProvider>,
    verifier: Arc<dyn ServerCertVerifier>,
) -> Result<Arc<ClientConfig>, Error> {
    let builder = ClientConfig::builder_with_provider(Arc::clone(provider));
    let builder = builder.with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| untrusted(error.to_string()))?;
    let builder = builder.dangerous().with_custom_certificate_verifier(verifier);
    Ok(Arc::new(builder.with_no_client_auth()))
}

/// Asks the authorities that the address names.
fn verifier(
    address: &Address,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<WebPkiServerVerifier>, Error> {
    let file = address.authorities.clone().unwrap_or_default();
    let told = |reason: String| untrusted(format!("sslrootcert {}: {reason}", file.display()));
    let certificates = CertificateDer::pem_file_iter(&file).map_err(|it| told(it.to_string()))?;
    let mut roots = RootCertStore::empty();
    for certificate in certificates {
        let certificate = certificate.map_err(|error| told(error.to_string()))?;
        roots.add(certificate).map_err(|error| told(error.to_string()))?;
    }
    if roots.is_empty() {
        return Err(told("it holds no certificate".to_owned()));
    }
    let builder =
        WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider));
    builder.build().map_err(|error| told(error.to_string()))
}

/// Takes any name; any certificate too, unless authorities must vouch for it.
#[derive(Debug)]
struct AnyName {
    authorities: Option<Arc<WebPkiServerVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for AnyName {
    /// The authorities are asked before the name is compared.
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        stapled: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, TlsError> {
        let Some(authorities) = &self.authorities else {
            return Ok(ServerCertVerified::assertion());
        };
        match authorities.verify_server_cert(certificate, between, name, stapled, now) {
            Err(TlsError::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
