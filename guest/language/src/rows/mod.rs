//! The rows of the forms, a file for each group. `Form` is made of their names. To add a form, add
//! its row to the file of its group, and its function to the table of its evaluation. The compiler
//! names the table.

use crate::form::Row;

/// Makes the rows of a group from lines such as `Add = operation(…)…;`. It also makes a macro with
/// the name of the group. That macro adds the names of its forms to a list, and passes the list
/// on to the macro that is named first. It needs the `$` as a token: a macro cannot write one into
/// the macro that it makes.
macro_rules! rows {
    ($dollar:tt $group:ident: $($form:ident = $row:expr;)*) => {
        /// The rows of the group.
        pub(super) const ROWS: &[crate::form::Row] =
            &[$($row.named(crate::form::Form::$form, stringify!($group)),)*];

        macro_rules! $group {
            ($dollar next:ident $dollar($dollar list:ident)*) => {
                $dollar next! { $dollar($dollar list)* $($form)* }
            };
        }
    };
}

#[macro_use]
mod arithmetic;
#[macro_use]
mod comparison;
#[macro_use]
mod control;
#[macro_use]
mod dates;
#[macro_use]
mod lambda;
#[macro_use]
mod lists;
#[macro_use]
mod logic;
#[macro_use]
mod meta;
#[macro_use]
mod pairs;
#[macro_use]
mod records;
#[macro_use]
mod strings;

/// Makes the list of groups, and the macro `every_form`, which passes the names of all forms on, in
/// the same order.
macro_rules! groups {
    ($dollar:tt $first:ident $($group:ident)*) => {
        /// The groups, in the order of the table.
        pub(crate) const GROUPS: &[&[Row]] = &[$first::ROWS, $($group::ROWS),*];

        macro_rules! every_form {
            ($dollar to:ident) => {
                $first! { $($group)* $dollar to }
            };
        }
    };
}

groups! { $ lambda arithmetic comparison logic control lists pairs strings meta records dates }
