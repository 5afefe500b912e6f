//! Steps of programs: the parts that the form `step` names.

/// What is told of a step of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepTold {
    /// Its name.
    pub name: String,
    /// Which of the steps of this name it is, counted from 1.
    pub count: u32,
    /// `done`, `failed`, or how the run stands that is in it.
    pub state: &'static str,
    /// What it spent, once it has ended.
    pub fuel: Option<u64>,
    /// The calls that it has made.
    pub calls: usize,
    /// How long it took, once it has ended.
    pub ms: Option<u64>,
    /// 1, and 1 more for each time that a `retry` in it tried again.
    pub tries: u32,
}
