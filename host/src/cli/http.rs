//! The options of HTTP, and what is opened for it before the process is sealed.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use http::Uri;

use crate::config::Config;
use crate::domain::Limit;
use crate::transport::http::{Access, Address, Http, IssuerSettings, Listener, Sites, acceptor};

/// The span in which wrong tokens are counted.
const SPAN: Duration = Duration::from_mins(1);

#[derive(Debug, Args)]
#[command(next_help_heading = "HTTP")]
pub(super) struct HttpOptions {
    /// Serve over HTTP instead: ADDR is HOST:PORT or unix:PATH [default: 127.0.0.1:7332]
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = "127.0.0.1:7332")]
    http: Option<Address>,
    /// File of tokens: lines `NAME SCOPES SHA256`. SIGHUP reads it anew
    #[arg(long, value_name = "FILE", requires = "http")]
    tokens: Option<PathBuf>,
    /// Accept tokens that this authorization server issues: its URL
    #[arg(long, value_name = "URL", requires_all = ["http", "jwks", "public_url"])]
    issuer: Option<String>,
    /// File of the issuer's keys, a JWK Set. SIGHUP reads it anew
    #[arg(long, value_name = "FILE", requires = "issuer")]
    jwks: Option<PathBuf>,
    /// URL under which clients reach the server, such as `https://pif.example.com/mcp`: its host is
    /// allowed, and it is the audience of the issuer's tokens
    #[arg(long, value_name = "URL", requires = "http")]
    public_url: Option<String>,
    /// File of the certificates for TLS, in PEM
    #[arg(long, value_name = "FILE", requires_all = ["http", "tls_key"])]
    tls_cert: Option<PathBuf>,
    /// File of the private key for TLS, in PEM
    #[arg(long, value_name = "FILE", requires_all = ["http", "tls_cert"])]
    tls_key: Option<PathBuf>,
    /// Host that the server answers for, besides those of this machine; may be repeated
    #[arg(long, value_name = "HOST", requires = "http")]
    allowed_host: Vec<String>,
    /// Origin whose pages may use the server, besides those of this machine; may be repeated
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    allowed_origin: Vec<String>,
}

/// A server over HTTP that is bound.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) http: Http,
    /// Where clients find it.
    pub(super) place: String,
    /// Folders with files that are read again while the server runs.
    pub(super) readable: Vec<PathBuf>,
}

impl HttpOptions {
    /// The options, if the server is to be reached over HTTP.
    pub(super) fn wanted(self) -> Option<Self> {
        self.http.is_some().then_some(self)
    }

    /// Reads the files and binds the listener.
    pub(super) fn open(self, config: &Config) -> Result<Opened> {
        let address = self.http.unwrap_or_default();
        if self.tokens.is_none() && self.issuer.is_none() && !address.is_here() {
            bail!(
                "others can reach {address}, so clients need tokens: give --tokens FILE or --issuer \
                 URL, or listen at 127.0.0.1"
            );
        }
        let wrong = config.values.size(Limit::HttpStrikes);
        let files = self.tokens.iter().chain(&self.jwks);
        let readable = files.map(|file| folder(file)).collect::<Result<_>>()?;
        let mut hosts = self.allowed_host;
        hosts.extend(self.public_url.as_deref().map(host).transpose()?);
        let issuer = match (self.issuer, self.public_url, self.jwks) {
            (Some(url), Some(resource), Some(keys)) => Some(IssuerSettings { url, resource, keys }),
            _ => None,
        };
        let access = Access::new(self.tokens, issuer, wrong, SPAN)?;
        let tls = match (self.tls_cert, self.tls_key) {
            (Some(cert), Some(key)) => {
                Some(acceptor(&cert, &key).map_err(|reason| anyhow::anyhow!("{reason}"))?)
            }
            _ => None,
        };
        let listener = Listener::bind(address.clone())
            .with_context(|| format!("cannot listen at {address}"))?;
        let bound = bound(listener.address());
        let sites = Sites { hosts, origins: self.allowed_origin, bound };
        let scheme = if tls.is_some() { "https" } else { "http" };
        let place = match listener.address() {
            Address::Tcp(address) => format!("{scheme}://{address}/mcp"),
            unix @ Address::Unix(_) => unix.to_string(),
        };
        Ok(Opened { http: Http { listener, access, sites, tls }, place, readable })
    }
}

/// The address of a listener, if it is that of one host.
fn bound(address: &Address) -> Option<IpAddr> {
    match address {
        Address::Tcp(address) if !address.ip().is_unspecified() => Some(address.ip()),
        _ => None,
    }
}

/// The host of a URL, with its port.
fn host(url: &str) -> Result<String> {
    let read: Option<Uri> = url.parse().ok();
    let host = read.and_then(|it| Some(it.authority()?.as_str().to_owned()));
    host.with_context(|| format!("--public-url: `{url}` names no host: write https://HOST/mcp"))
}

/// The folder of a file. Editors replace files, so it is the folder that stays readable.
fn folder(file: &Path) -> Result<PathBuf> {
    let whole = file.canonicalize().with_context(|| file.display().to_string())?;
    Ok(whole.parent().map_or(whole.clone(), Path::to_owned))
}
