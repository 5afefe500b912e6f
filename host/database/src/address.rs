//! The address of a database, as `--store` names it. It holds no password.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use pif_domain::quantity::expanded;

/// The port of PostgreSQL.
const PORT: u16 = 5432;

/// What stands for itself in a part of an address.
const PART: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The form of an address, for messages.
const FORM: &str = "write postgres://USER@HOST:PORT/DATABASE";

/// What to do with a password.
const PASSWORD: &str = "a password does not belong into an address, which others on this machine \
    can see: write postgres://USER@HOST:PORT/DATABASE, and put the password into a file that only \
    you can read (chmod 600): name it by --store-password-file FILE, or add the line \
    HOST:PORT:DATABASE:USER:PASSWORD to ~/.pgpass. Change that password, since it was shown";

/// The address of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// Where it listens.
    pub host: Host,
    /// The port, or the number in the name of the Unix socket.
    pub port: u16,
    /// The role.
    pub user: String,
    /// The name of the database.
    pub database: String,
    /// How private the connection must be.
    pub privacy: Privacy,
    /// The authorities that vouch for the database, instead of the system's.
    pub authorities: Option<PathBuf>,
}

/// Where a database listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Host {
    /// In a folder that has its Unix socket.
    Folder(PathBuf),
    /// At a name or an IP address.
    Name(String),
}

/// How private a connection must be: the `sslmode` of PostgreSQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Privacy {
    /// Not at all.
    Disable,
    /// Encrypted, whoever the other end is.
    Require,
    /// Encrypted, and an authority vouches for the other end.
    VerifyCa,
    /// Encrypted, and an authority vouches that the other end has the name of the host.
    VerifyFull,
}

impl Privacy {
    const ALL: [Self; 4] = [Self::Disable, Self::Require, Self::VerifyCa, Self::VerifyFull];

    fn name(self) -> &'static str {
        match self {
            Self::Disable => "disable",
            Self::Require => "require",
            Self::VerifyCa => "verify-ca",
            Self::VerifyFull => "verify-full",
        }
    }

    fn find(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|it| it.name() == name).ok_or_else(|| match name {
            "allow" | "prefer" => format!(
                "sslmode={name} leaves it to the network whether the connection is private: write \
                 sslmode=verify-full, or sslmode=disable"
            ),
            _ => "sslmode is verify-full, verify-ca, require or disable".to_owned(),
        })
    }
}

impl Host {
    fn parse(text: &str) -> Result<Self, String> {
        let host = decoded(text)?;
        match host.as_str() {
            "" => Err(format!("the host is missing: {FORM}")),
            host if host.starts_with('/') => Ok(Self::Folder(host.into())),
            host if host.contains(',') => Err("name one host: a proxy stands for several".into()),
            host => Ok(Self::Name(host.to_owned())),
        }
    }

    /// Whether it is on this machine, as far as its name says.
    #[must_use]
    pub fn is_here(&self) -> bool {
        match self {
            Self::Folder(_) => true,
            Self::Name(name) if name == "localhost" => true,
            Self::Name(name) => name.parse::<IpAddr>().is_ok_and(|it| it.is_loopback()),
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => write!(f, "{}", folder.display()),
            Self::Name(name) => write!(f, "{name}"),
        }
    }
}

impl FromStr for Address {
    type Err = String;

    /// Reads an address. The error never repeats it: it may hold a password.
    fn from_str(text: &str) -> Result<Self, String> {
        let schemes = ["postgres://", "postgresql://"];
        let rest = schemes.iter().find_map(|scheme| text.strip_prefix(scheme));
        let rest = rest.ok_or_else(|| format!("this is no address of a database: {FORM}"))?;
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, database) = place.split_once('/').unwrap_or((place, ""));
        let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
        if user.contains(':') {
            return Err(PASSWORD.to_owned());
        }
        expanded(text)?;
        let (host, port) = split_port(host)?;
        let asked = Parameters::parse(query)?;
        let host = match (&asked.host, host) {
            (Some(host), "") => Host::parse(host)?,
            (Some(_), _) => return Err("the host is named twice".to_owned()),
            (None, host) => Host::parse(host)?,
        };
        let user = decoded(user)?;
        if user.is_empty() {
            return Err(format!("the user is missing: {FORM}"));
        }
        let database = decoded(database)?;
        let database = if database.is_empty() { user.clone() } else { database };
        if [&user, &database].into_iter().any(|it| it.contains('\0')) {
            return Err("a name has the character NUL".to_owned());
        }
        let privacy = asked.privacy(&host)?;
        Ok(Self { host, port, user, database, privacy, authorities: asked.authorities })
    }
}

/// The host and the port of the part behind the user.
fn split_port(text: &str) -> Result<(&str, u16), String> {
    let (host, port) = match text.strip_prefix('[').and_then(|it| it.split_once(']')) {
        Some((host, rest)) => (host, rest.strip_prefix(':')),
        None => text.rsplit_once(':').map_or((text, None), |(host, port)| (host, Some(port))),
    };
    if host.contains(':') && !text.starts_with('[') {
        return Err("write an IPv6 address in brackets: [::1]".to_owned());
    }
    let Some(port) = port else { return Ok((host, PORT)) };
    let port = port.parse().ok().filter(|port| *port > 0);
    Ok((host, port.ok_or("the port is a number from 1 to 65535")?))
}

fn decoded(text: &str) -> Result<String, String> {
    let decoded = percent_decode_str(text).decode_utf8();
    Ok(decoded.map_err(|_| "a part of the address is not UTF-8")?.into_owned())
}

/// What an address asks for behind its `?`.
#[derive(Debug, Default)]
struct Parameters {
    host: Option<String>,
    privacy: Option<Privacy>,
    authorities: Option<PathBuf>,
}

impl Parameters {
    fn parse(query: &str) -> Result<Self, String> {
        let mut asked = Self::default();
        for part in query.split('&').filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            match name {
                "host" => asked.host = Some(value.to_owned()),
                "sslmode" => asked.privacy = Some(Privacy::find(value)?),
                "sslrootcert" => asked.authorities = Some(decoded(value)?.into()),
                "password" | "sslpassword" => return Err(PASSWORD.to_owned()),
                _ => return Err("behind `?` stand host, sslmode and sslrootcert".to_owned()),
            }
        }
        Ok(asked)
    }

    fn privacy(&self, host: &Host) -> Result<Privacy, String> {
        let usual = if host.is_here() { Privacy::Disable } else { Privacy::VerifyFull };
        let asked = self.privacy.unwrap_or(match self.authorities {
            Some(_) => Privacy::VerifyFull,
            None => usual,
        });
        match (asked, host, &self.authorities) {
            (Privacy::Disable, _, None) => Ok(asked),
            (Privacy::Disable, _, Some(_)) => {
                Err("sslrootcert has no effect with sslmode=disable: leave one out".to_owned())
            }
            (_, Host::Folder(_), _) => {
                Err("a Unix socket speaks no TLS: leave out sslmode and sslrootcert".to_owned())
            }
            (Privacy::VerifyCa, _, None) => {
                Err("sslmode=verify-ca needs sslrootcert=FILE, the authorities".to_owned())
            }
            // As for other clients of PostgreSQL: who names authorities wants them asked.
            (Privacy::Require, _, Some(_)) => Ok(Privacy::VerifyCa),
            _ => Ok(asked),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |text: &str| utf8_percent_encode(text, PART).to_string();
        write!(f, "postgres://{}@", part(&self.user))?;
        match &self.host {
            Host::Folder(folder) => write!(f, "{}", part(&folder.to_string_lossy()))?,
            Host::Name(name) if name.contains(':') => write!(f, "[{name}]")?,
            Host::Name(name) => write!(f, "{}", part(name))?,
        }
        write!(f, ":{}/{}", self.port, part(&self.database))?;
        if !matches!(self.host, Host::Folder(_)) {
            write!(f, "?sslmode={}", self.privacy.name())?;
        }
        match &self.authorities {
            Some(file) => write!(f, "&sslrootcert={}", part(&file.to_string_lossy())),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Address, String> {
        text.parse()
    }

    #[test]
    fn an_address_is_read_and_written_alike() -> Result<(), String> {
        for (text, told) in [
            (
                "postgres://pif@db.example.com/tools",
                "postgres://pif@db.example.com:5432/tools?sslmode=verify-full",
            ),
            (
                "postgresql://pif@localhost:5433",
                "postgres://pif@localhost:5433/pif?sslmode=disable",
            ),
            (
                "postgres://pif@127.0.0.1/a%2Fb",
                "postgres://pif@127.0.0.1:5432/a%2Fb?sslmode=disable",
            ),
            ("postgres://pif@[::1]:6000/x", "postgres://pif@[::1]:6000/x?sslmode=disable"),
            (
                "postgres://pif@[2001:db8::1]/x",
                "postgres://pif@[2001:db8::1]:5432/x?sslmode=verify-full",
            ),
            ("postgres://pif@%2Frun%2Fpg/x", "postgres://pif@%2Frun%2Fpg:5432/x"),
            ("postgres://pif@:6000/x?host=/run/pg", "postgres://pif@%2Frun%2Fpg:6000/x"),
            ("postgres://p%40f@h/x?sslmode=require", "postgres://p%40f@h:5432/x?sslmode=require"),
            (
                "postgres://pif@localhost/x?sslrootcert=/etc/ca.pem",
                "postgres://pif@localhost:5432/x?sslmode=verify-full&sslrootcert=%2Fetc%2Fca.pem",
            ),
            (
                "postgres://pif@h/x?sslmode=require&sslrootcert=ca.pem",
                "postgres://pif@h:5432/x?sslmode=verify-ca&sslrootcert=ca.pem",
            ),
        ] {
            let address = read(text)?;
            assert_eq!(address.to_string(), told);
            assert_eq!(read(told)?, address, "{text}");
        }
        Ok(())
    }

    #[test]
    fn what_is_wrong_is_refused_with_what_to_write() {
        for (text, word) in [
            ("mysql://pif@h/x", "postgres://USER@HOST:PORT/DATABASE"),
            ("postgres://h/x", "the user is missing"),
            ("postgres://pif@/x", "the host is missing"),
            ("postgres://pif@a,b/x", "name one host"),
            ("postgres://pif@h:0/x", "from 1 to 65535"),
            ("postgres://pif@::1/x", "in brackets"),
            ("postgres://pif@h/x?sslmode=prefer", "sslmode=verify-full"),
            ("postgres://pif@h/x?sslmode=full", "verify-ca"),
            ("postgres://pif@h/x?sslmode=verify-ca", "sslrootcert=FILE"),
            ("postgres://pif@/x?host=/run/pg&sslmode=require", "no TLS"),
            ("postgres://pif@h/x?options=-c", "host, sslmode and sslrootcert"),
            ("postgres://pif@a/x?host=b", "named twice"),
            ("postgres://pif@${HOST}/x", "${HOST}"),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.contains(word), "{text}: {error}");
        }
    }

    #[test]
    fn a_password_is_refused_and_never_repeated() {
        for text in [
            "postgres://pif:hunter2@h/x",
            "postgres://pif:hunter2@h:99999/x",
            "postgres://pif@h/x?password=hunter2",
            "postgres://pif@h/x?sslmode=hunter2",
            "postgres://pif@h/x?hunter2",
            "hunter2",
        ] {
            let error = read(text).expect_err(text);
            assert!(!error.contains("hunter2"), "{error}");
        }
        let error = read("postgres://pif:hunter2@h/x").expect_err("refused");
        assert!(error.contains("--store-password-file") && error.contains("~/.pgpass"), "{error}");
    }
}
