//! A tool of another server, in a line.

use pif_domain::{Offer, Pin};

/// The signature of a tool, its effect class, its grant and its pin.
pub(super) fn line(offer: &Offer) -> String {
    let class = offer.class.verb();
    let grant = offer.grant.name();
    let pin = match offer.pin {
        Pin::Approved => "",
        Pin::Pending => ", PENDING",
        Pin::Changed => ", CHANGED",
    };
    format!("{} [{class}, {grant}{pin}]", offer.signature)
}
