//! What the forms cost: the one place where the prices stand. A visit of a node, an application
//! that a form makes, and a unit of what it does with its operands each have a price, so that a
//! unit of fuel takes about as long in every form.

use super::Form;

/// One that makes a function, or takes a text in the loop.
const LIGHT: u16 = 5;
/// A form that leaves the machine's loop.
const FORM: u16 = 12;
/// One that goes to another term, or comes back from a fault.
const JUMPER: u16 = 16;
/// One that reads or makes texts, numbers or records of some kind.
const MAKER: u16 = 48;
/// One that takes something apart by rules, or takes many steps.
const READER: u16 = 96;
/// One that looks for a pattern.
const SEARCHER: u16 = 192;

impl Form {
    /// Fuel of each visit of a node of this form.
    #[must_use]
    #[expect(clippy::match_same_arms, reason = "an arm for each group of forms")]
    pub const fn visit_price(self) -> u16 {
        match self {
            Self::Lam | Self::Length => LIGHT,
            Self::CodeOf | Self::Tool | Self::Try => JUMPER,
            Self::Round | Self::Min | Self::Max => MAKER,
            Self::Floor | Self::Ceil | Self::ToInt | Self::Exp | Self::Ln | Self::Log10 => MAKER,
            Self::Trim | Self::Chars | Self::Lines => MAKER,
            Self::Slice | Self::StartsWith | Self::EndsWith => MAKER,
            Self::Repeat | Self::PadLeft | Self::PadRight => MAKER,
            Self::ToString | Self::JsonText | Self::ParseInt | Self::ParseFloat => MAKER,
            Self::GetIn | Self::Put | Self::Update | Self::Remove | Self::Merge => MAKER,
            Self::Keys | Self::Values | Self::Entries => MAKER,
            Self::DateParse | Self::DateParts | Self::DateDiff => MAKER,
            Self::Analyze => MAKER,
            Self::Pow | Self::DateAdd => READER,
            Self::JsonParse | Self::CsvParse | Self::DateFormat => READER,
            Self::Matches | Self::FindAll | Self::RegexReplace => SEARCHER,
            _ if self.is_looped() => 1,
            _ => FORM,
        }
    }

    /// Fuel of each application of a function that this form makes.
    #[must_use]
    pub const fn application_price(self) -> u16 {
        match self {
            Self::Fold | Self::Pipe | Self::Try => 1,
            _ => 5,
        }
    }

    /// Fuel of a unit of the work that this form does with its operands.
    #[must_use]
    #[expect(clippy::match_same_arms, reason = "an arm for each group of forms")]
    pub const fn work_price(self) -> u64 {
        match self {
            Self::Length | Self::Nth | Self::Drop | Self::Pow => 1,
            Self::Append | Self::Flatten | Self::Reverse | Self::Take | Self::Last => 3,
            Self::Sort | Self::SortBy | Self::Median | Self::Percentile => 4,
            Self::Add | Self::Sub | Self::Mul | Self::Div | Self::Mod => 6,
            Self::Neg | Self::Abs | Self::Sqrt | Self::Exp | Self::Ln | Self::Log10 => 6,
            Self::Floor | Self::Ceil | Self::ToInt | Self::ToFloat | Self::Round => 6,
            Self::Sum | Self::Mean | Self::Range => 6,
            Self::FlatMap | Self::Chunk | Self::Enumerate | Self::Zip => 6,
            Self::Quote | Self::Trace | Self::Analyze | Self::ParseInt => 6,
            Self::Put | Self::Remove | Self::Update | Self::Merge => 6,
            Self::Keys | Self::Values | Self::Entries | Self::FromEntries => 6,
            Self::Lower | Self::Split | Self::Slice | Self::Contains | Self::IndexOf => 18,
            Self::StartsWith | Self::EndsWith | Self::Join | Self::ToString => 18,
            Self::JsonText | Self::JsonParse | Self::Describe => 18,
            Self::Get | Self::Has | Self::DateFormat => 24,
            _ => 12,
        }
    }

    /// Whether the machine does this form in its loop: the calculus, without what texts and data
    /// came with, and literals.
    const fn is_looped(self) -> bool {
        (self as u8) <= Self::Perform as u8
            || matches!(self, Self::Float | Self::Int | Self::Unquote)
            || (self as u8) >= Self::Unit as u8
    }
}
