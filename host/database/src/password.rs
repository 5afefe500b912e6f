//! Where the password of a database is found: in a file of its own, or in one that has those of
//! several databases (`PGPASSFILE`, `~/.pgpass`), as other clients of PostgreSQL read it.

use std::path::{Path, PathBuf};

use pif_system::{ForbiddenAccess, read_owned, variable};

use super::address::{Address, Host};
use super::error::{Error, Kind};

/// Bytes of a file with passwords.
const MOST: u64 = 1 << 20;

/// The password for an address; None if no file has one. `own` is a file that holds nothing else.
pub(super) fn find(address: &Address, own: Option<&Path>) -> Result<Option<String>, Error> {
    let Some(file) = own else {
        let Some(file) = shared_file() else { return Ok(None) };
        return Ok(look_up(&read(&file)?, address));
    };
    read_own(file).map(Some)
}

/// The password in a file that holds nothing else.
pub(super) fn read_own(file: &Path) -> Result<String, Error> {
    let text = read(file)?;
    let password = text.lines().next().unwrap_or_default();
    if password.is_empty() {
        return Err(Error::new(Kind::Refused, format!("{}: it is empty", file.display())));
    }
    Ok(password.to_owned())
}

fn read(file: &Path) -> Result<String, Error> {
    let told = |reason| Error::new(Kind::Refused, format!("{}: {reason}", file.display()));
    read_owned(file, MOST, ForbiddenAccess::Any).map_err(told)
}

/// The file with the passwords of several databases, if there is one.
fn shared_file() -> Option<PathBuf> {
    let usual = || Some(PathBuf::from(variable("HOME")?).join(".pgpass"));
    variable("PGPASSFILE").map(PathBuf::from).or_else(|| usual().filter(|file| file.exists()))
}

/// The password of the first line that fits an address.
fn look_up(text: &str, address: &Address) -> Option<String> {
    let hosts = match &address.host {
        Host::Name(name) => vec![name.clone()],
        Host::Folder(folder) => vec![folder.to_string_lossy().into_owned(), "localhost".to_owned()],
    };
    let port = address.port.to_string();
    text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let [host, listens, database, user, password] =
            <[String; 5]>::try_from(fields(line)).ok()?;
        let fits = |pattern: &str, value: &str| pattern == "*" || pattern == value;
        let is_meant = hosts.iter().any(|it| fits(&host, it))
            && fits(&listens, &port)
            && fits(&database, &address.database)
            && fits(&user, &address.user);
        is_meant.then_some(password)
    })
}

/// The fields of a line: `\` takes the next character as it stands, and the fifth field is the rest.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        let character = match character {
            ':' if fields.len() < 5 => {
                fields.push(String::new());
                continue;
            }
            '\\' => characters.next().unwrap_or('\\'),
            other => other,
        };
        if let Some(last) = fields.last_mut() {
            last.push(character);
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_fits_has_the_password() -> Result<(), String> {
        let text = "# others\nother:5432:*:*:no\n\nh:5432:x:pif:a\\:b\\\\c:d\nh:*:*:*:second\n*:1:*:pif:third\n";
        let find = |address: &str| Ok::<_, String>(look_up(text, &address.parse()?));
        assert_eq!(find("postgres://pif@h/x")?.as_deref(), Some("a:b\\c:d"));
        assert_eq!(find("postgres://pif@h/y")?.as_deref(), Some("second"));
        assert_eq!(find("postgres://pif@%2Frun:1/y")?.as_deref(), Some("third"));
        assert_eq!(find("postgres://pif@elsewhere/x")?, None);
        let socket = "localhost:*:*:*:here";
        let address: Address = "postgres://pif@%2Frun/x".parse()?;
        assert_eq!(look_up(socket, &address).as_deref(), Some("here"));
        Ok(())
    }
}
