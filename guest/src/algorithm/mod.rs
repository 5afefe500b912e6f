//! The work of forms on values, after their operands are evaluated.

pub(crate) mod canonical;
pub(crate) mod case;
pub(crate) mod codec;
pub(crate) mod collation;
pub(crate) mod comparison;
pub(crate) mod csv;
pub(crate) mod date;
pub(crate) mod entries;
pub(crate) mod grouping;
pub(crate) mod keys;
pub(crate) mod lexical;
pub(crate) mod mapping;
pub(crate) mod member;
pub(crate) mod normal;
pub(crate) mod number;
pub(crate) mod radix;
pub(crate) mod record;
pub(crate) mod record_tree;
pub(crate) mod regex;
pub(crate) mod sorting;
pub(crate) mod tree;
pub(crate) mod trouble;
pub(crate) mod weight;
