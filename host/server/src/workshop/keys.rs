//! The keys with which a store signs: they stand in its directory, and a server reads them when it
//! starts, since it has no files later.

use std::path::PathBuf;

use pif_domain::{Fault, FaultCode, fault};
use pif_receipt::{Error, Keyring, PublicKey, Trust};
use pif_store::Place;

use crate::config::Config;

/// Reads the keys of the store of the settings. A store in memory has none.
pub fn open_keys(config: &Config) -> Result<Keyring, Error> {
    Keyring::open(&directory(&config.place).ok_or(Error::NoStore)?)
}

/// The directory of the keys.
fn directory(place: &Place) -> Option<PathBuf> {
    Some(place.file()?.parent()?.to_owned())
}

/// Trusts the keys of a text in PEM.
pub fn trust(pem: &str) -> Result<Trust, Fault> {
    let refused = |reason: &str| {
        let hint = "`mcp-pif keys export` prints some";
        fault(FaultCode::Malformed, reason.to_owned(), Some(hint))
    };
    let keys = PublicKey::all_from_pem(pem).map_err(|error| refused(&error.to_string()))?;
    if keys.is_empty() {
        return Err(refused("there is no public key"));
    }
    Ok(Trust::new(keys))
}

/// The fault that a caller gets when the store cannot sign.
pub(super) fn unsigned(error: &Error) -> Fault {
    fault(FaultCode::InvalidReceipt, error.to_string(), None)
}
