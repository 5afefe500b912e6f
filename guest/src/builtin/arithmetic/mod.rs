//! Numbers.

mod figures;
mod numbers;
mod numerals;

use crate::builtin::call::Function;
use crate::builtin::many;
use pif_language::form::Form;

/// The functions of its forms.
pub(super) const FUNCTIONS: &[(Form, Function)] = &[
    (Form::Min, many::extreme),
    (Form::Max, many::extreme),
    (Form::Fdiv, numbers::fdiv),
    (Form::Neg, numbers::neg),
    (Form::Abs, numbers::abs),
    (Form::Sqrt, numbers::sqrt),
    (Form::Exp, numbers::exp),
    (Form::Ln, numbers::ln),
    (Form::Log10, numbers::log10),
    (Form::Floor, numbers::floor),
    (Form::Ceil, numbers::ceil),
    (Form::ToInt, numbers::to_int),
    (Form::ToFloat, numbers::to_float),
    (Form::Pow, numbers::pow),
    (Form::Round, numbers::round),
    (Form::Divide, figures::divide),
    (Form::Math, figures::math),
    (Form::Bits, figures::bits),
    (Form::ToNumber, numerals::to_number),
    (Form::LeadingNumber, numerals::leading_number),
    (Form::NumberText, numerals::number_text),
    (Form::NumberIs, numerals::number_is),
    (Form::Add, many::arithmetic),
    (Form::Mul, many::arithmetic),
    (Form::Plus, many::plus),
];
