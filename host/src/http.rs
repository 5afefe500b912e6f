//! The options of HTTP, and what is opened for it before the process is sealed.

use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use http::Uri;
use pif_domain::Limit;
use pif_server::config::Config;
use pif_server::transport::http::{
    Access, Address, AllowedHosts, Http, IssuerSettings, Listener, Places, Share, Tls,
};

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
    /// Another audience of the issuer's tokens, such as the id of an application; may be repeated
    #[arg(long, value_name = "AUDIENCE", requires = "issuer")]
    audience: Vec<String>,
    /// What a word of `scope` or `scp` means, such as `api://pif/run=run`; may be repeated
    #[arg(long, value_name = "WORD=SCOPE", requires = "issuer")]
    scope_map: Vec<String>,
    /// What a word of `roles`, `permissions` or `groups` means, such as `Pif.Admin=admin`; may be
    /// repeated
    #[arg(long, value_name = "ROLE=SCOPE", requires = "issuer")]
    role_map: Vec<String>,
    /// URL under which clients reach the server, such as `https://pif.example.com/mcp`: its host is
    /// allowed, its path is served, and it is the audience of the issuer's tokens
    #[arg(long, value_name = "URL", requires = "http")]
    public_url: Option<String>,
    /// File of the certificates for TLS, in PEM. SIGHUP reads it anew
    #[arg(long, value_name = "FILE", requires_all = ["http", "tls_key"])]
    tls_cert: Option<PathBuf>,
    /// File of the private key for TLS, in PEM. SIGHUP reads it anew
    #[arg(long, value_name = "FILE", requires_all = ["http", "tls_cert"])]
    tls_key: Option<PathBuf>,
    /// Host that the server answers for, besides those of this machine; may be repeated
    #[arg(long, value_name = "HOST", requires = "http")]
    allowed_host: Vec<String>,
    /// Origin whose pages may use the server, besides those of this machine; may be repeated
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    allowed_origin: Vec<String>,
    /// Group that may open the socket of unix:PATH, by its name or number
    #[arg(long, value_name = "GROUP", requires = "http")]
    socket_group: Option<String>,
    /// Mode of the socket of unix:PATH, in octal [default: 600, or 660 with a group]
    #[arg(long, value_name = "MODE", requires = "http", value_parser = mode)]
    socket_mode: Option<u32>,
}

/// A server over HTTP that is bound.
#[derive(Debug)]
pub(super) struct HttpServer {
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
    pub(super) fn open(self, config: &Config) -> Result<HttpServer> {
        let address = self.http.unwrap_or_default();
        if self.tokens.is_none() && self.issuer.is_none() && !address.is_here() {
            bail!(
                "others can reach {address}, so clients need tokens: give --tokens FILE or --issuer \
                 URL, or listen at 127.0.0.1"
            );
        }
        let share = share(&address, self.socket_group.as_deref(), self.socket_mode)?;
        let wrong = config.values.size(Limit::HttpStrikes);
        let files = [&self.tokens, &self.jwks, &self.tls_cert, &self.tls_key];
        let mut readable = Vec::new();
        for file in files.into_iter().flatten() {
            readable.extend(folders(file)?);
        }
        let mut hosts = self.allowed_host;
        let mut path = None;
        if let Some(url) = &self.public_url {
            let url = public(url)?;
            hosts.extend(url.authority().map(|it| it.as_str().to_owned()));
            path = Some(url.path().to_owned());
        }
        let places = Places::new(path.as_deref())
            .map_err(|reason| anyhow::anyhow!("--public-url: {reason}"))?;
        let issuer = match (self.issuer, self.public_url, self.jwks) {
            (Some(url), Some(resource), Some(keys)) => Some(IssuerSettings {
                url,
                resource,
                audiences: self.audience,
                scopes: self.scope_map,
                roles: self.role_map,
                keys,
            }),
            _ => None,
        };
        let access = Access::new(self.tokens, issuer, wrong, SPAN)?;
        let tls = match (self.tls_cert, self.tls_key) {
            (Some(cert), Some(key)) => {
                Some(Tls::read(cert, key).map_err(|reason| anyhow::anyhow!("{reason}"))?)
            }
            _ => None,
        };
        let listener = Listener::bind(address.clone(), &share)
            .with_context(|| format!("cannot listen at {address}"))?;
        let bound = bound(listener.address());
        let allowed = AllowedHosts { hosts, origins: self.allowed_origin, bound };
        let scheme = if tls.is_some() { "https" } else { "http" };
        let place = match listener.address() {
            Address::Tcp(address) => format!("{scheme}://{address}/mcp"),
            unix @ Address::Unix(_) => unix.to_string(),
        };
        Ok(HttpServer { http: Http { listener, access, allowed, places, tls }, place, readable })
    }
}

/// The address of a listener, if it is that of one host.
fn bound(address: &Address) -> Option<IpAddr> {
    match address {
        Address::Tcp(address) if !address.ip().is_unspecified() => Some(address.ip()),
        _ => None,
    }
}

/// The URL of the server as clients write it.
fn public(url: &str) -> Result<Uri> {
    let read = url.parse::<Uri>().ok().filter(|it| it.authority().is_some());
    read.with_context(|| format!("--public-url: `{url}` names no host: write https://HOST/mcp"))
}

/// The mode of a socket.
fn mode(text: &str) -> Result<u32, String> {
    let mode = u32::from_str_radix(text, 8).ok().filter(|mode| *mode <= 0o777);
    mode.ok_or_else(|| "write an octal mode such as 660".to_owned())
}

/// With whom a socket is shared.
fn share(address: &Address, group: Option<&str>, mode: Option<u32>) -> Result<Share> {
    if matches!(address, Address::Tcp(_)) && (group.is_some() || mode.is_some()) {
        bail!("--socket-group and --socket-mode are for a socket: write --http unix:PATH");
    }
    Ok(Share { group: group.map(group_id).transpose()?, mode })
}

/// The number of a group.
fn group_id(name: &str) -> Result<u32> {
    if let Ok(number) = name.parse() {
        return Ok(number);
    }
    let groups = fs::read_to_string("/etc/group").context("/etc/group")?;
    let find = |line: &str| {
        let mut members = line.split(':');
        let is_it = members.next() == Some(name);
        members.nth(1).filter(|_| is_it)?.parse().ok()
    };
    let found = groups.lines().find_map(find);
    found.with_context(|| format!("--socket-group: there is no group `{name}`: write its number"))
}

/// The folders of a file. Editors replace files, so it is folders that stay readable: that of the name
/// and, if the name is a link, that of the file.
fn folders(file: &Path) -> Result<Vec<PathBuf>> {
    let of = |path: &Path| path.canonicalize().with_context(|| file.display().to_string());
    let whole = of(file)?;
    let target = whole.parent().map_or(whole.clone(), Path::to_owned);
    let named = file.parent().filter(|parent| !parent.as_os_str().is_empty());
    Ok(vec![of(named.unwrap_or(Path::new(".")))?, target])
}
