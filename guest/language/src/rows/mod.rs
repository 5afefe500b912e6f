//! The rows of the forms, a file for each group, and `Form`, which is made of them. To add a form,
//! add its row to the file of its group, and its function to the table of its evaluation. The
//! compiler names the table.

use crate::form::Row;

/// Makes the rows of a group from lines such as `Add = operation(…)…;`. It also makes a macro with
/// the name of the group. That macro adds the names of its forms to a list, and passes the list
/// on to the macro that is named first. So `every_form` gets all names.
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

/// Makes `Form` and the list of rows, in one order.
macro_rules! groups {
    ($first:ident $($group:ident)*) => {
        /// The groups, in the order of the table.
        pub(crate) const GROUPS: &[&[Row]] = &[$first::ROWS, $($group::ROWS),*];

        $first! { $($group)* every_form }
    };
}

macro_rules! every_form {
    ($($form:ident)*) => {
        /// The form of a term: a form of the table, or a literal.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u8)]
        #[expect(missing_docs, reason = "the row of a form documents it")]
        pub enum Form {
            $($form,)*
            // Literals have neither a key nor a row.
            Unit,
            Boolean,
            Integer,
            BigInteger,
            FloatNumber,
            Text,
            List,
        }
    };
}

groups! { lambda arithmetic comparison logic control lists pairs strings meta records dates }
