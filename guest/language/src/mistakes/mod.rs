//! What people and models write by mistake, as data: where it stands and what to write instead. A
//! reader finds a row and puts its hint into the fault. To add a hint, add a row.

pub mod kinds;
pub mod marks;
pub mod names;
pub mod rewrites;
pub mod words;
