//! Names of JavaScript that the lowering itself has to know: members that change their object, and
//! members that call a function at once.

/// Members that change the value before the point.
const IN_PLACE: [&str; 13] = [
    "push",
    "pop",
    "shift",
    "unshift",
    "splice",
    "sort",
    "reverse",
    "fill",
    "set",
    "add",
    "delete",
    "clear",
    "copyWithin",
];

/// Members and functions that call a function while they run, and keep it no longer.
const CALLBACKS: [&str; 42] = [
    "map",
    "filter",
    "some",
    "every",
    "find",
    "findIndex",
    "findLast",
    "findLastIndex",
    "forEach",
    "reduce",
    "reduceRight",
    "flatMap",
    "sort",
    "toSorted",
    "replace",
    "replaceAll",
    "then",
    "catch",
    "finally",
    "from",
    "groupBy",
    "flat_map",
    "any",
    "all",
    "sort_by",
    "sortBy",
    "group_by",
    "count_by",
    "countBy",
    "distinct_by",
    "distinctBy",
    "max_by",
    "maxBy",
    "min_by",
    "minBy",
    "partition",
    "fold",
    "update",
    "update_in",
    "find_last",
    "try",
    "map_values",
];

/// Objects of JavaScript whose members are functions or constants.
const GLOBALS: [&str; 22] = [
    "Math",
    "Object",
    "Array",
    "Number",
    "String",
    "Boolean",
    "JSON",
    "Map",
    "Set",
    "Date",
    "Promise",
    "console",
    "RegExp",
    "Symbol",
    "BigInt",
    "Intl",
    "Reflect",
    "Error",
    "globalThis",
    "math",
    "json",
    "performance",
];

/// Tells whether a member changes the value before the point.
pub(crate) fn changes_in_place(name: &str) -> bool {
    IN_PLACE.contains(&name)
}

/// Tells whether a member calls a function at once.
pub(crate) fn is_callback_member(name: &str) -> bool {
    CALLBACKS.contains(&name)
}

/// Tells whether a name is an object of JavaScript.
pub(crate) fn is_global(name: &str) -> bool {
    GLOBALS.contains(&name)
}
