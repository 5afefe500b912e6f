//! What the tests of mcp-pif share: the definition of the language to compare the machine with,
//! random programs, and the corpus of cases.

pub mod case;
pub mod definitional;
pub mod generate;
pub mod native;
