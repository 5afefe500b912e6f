//! What the tests of mcp-pif share: the corpus of cases, random programs, and three ways to run
//! them: by the definition of the language, on the native machine, and in the component.

pub mod attack;
pub mod case;
pub mod component;
pub mod definitional;
pub mod generate;
pub mod native;
pub mod run;
