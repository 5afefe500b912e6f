//! What the random operands of forms on dates are made of: literals as they are written in a term.
//! Those that are no good stand among them.

pub(super) const DATES: &[&str] = &[
    "\"2024-02-29\"",
    "\"2023-02-29\"",
    "\"2024-02-29T12:30:00Z\"",
    "\"2024-02-29T23:59:60Z\"",
    "\"1969-12-31T23:59:59.999+02:00\"",
    "\"0000-01-01\"",
    "\"9999-12-31\"",
    "\"10000-01-01\"",
    "\"2024-1-1\"",
    "\"2024-02-29 12:30:00\"",
    "\"\"",
    "\"20240229\"",
    "\"-0001-01-01\"",
    "\"2024-02-29T12:30\"",
    "\"2024-12-31T24:00:00Z\"",
    "\"2024-12-31T23:59:59.9999999+0130\"",
    "\"31.12.2024\"",
    "\"12:30:00\"",
    "{\"date_format\":[1709251199,\"%F %T\"]}",
    "{\"date_format\":[{\"float\":-0.25},\"%a %A %b %B %j %y %e\"]}",
    "{\"date_format\":[951782400,\"%I %p %u %U %V %G %s %f %z\"]}",
];

pub(super) const TIMES: &[&str] = &[
    "0",
    "1",
    "-1",
    "86400",
    "1709164800",
    "1709251199",
    "{\"float\":1709164800.5}",
    "-62135596800",
    "253402300799",
    "253402300800",
    "-62167219201",
    "951782400",
    "18446744073709551616",
    "{\"float\":-0.25}",
    "{\"date_parse\":\"2024-01-31\"}",
];

pub(super) const SPANS: &[&str] = &[
    "{\"record\":{\"months\":1}}",
    "{\"record\":{\"months\":-13,\"days\":40}}",
    "{\"record\":{\"years\":1,\"weeks\":2,\"hours\":-5,\"minutes\":90,\"seconds\":1}}",
    "{\"record\":{}}",
    "{\"record\":{\"fortnights\":1}}",
    "{\"record\":{\"days\":{\"float\":0.5}}}",
    "{\"record\":{\"days\":18446744073709551616}}",
    "{\"record\":{\"years\":\"1\"}}",
    "{\"record\":{\"years\":-9000}}",
];

pub(super) const FORMATS: &[&str] = &[
    "\"%Y-%m-%d\"",
    "\"%H:%M:%S\"",
    "\"%a %A %b %B %j %y %e\"",
    "\"\"",
    "\"plain é\"",
    "\"%\"",
    "\"%Q\"",
    "\"%%%d\"",
    "\"%d.%m.%Y\"",
    "\"%F %T\"",
    "\"%I %p %u %w %U %V %G %s %f\"",
    "\"%I %p %u %U %V %G %s %f %z\"",
];

pub(super) const UNITS: &[&str] = &[
    "\"days\"",
    "\"months\"",
    "\"years\"",
    "\"seconds\"",
    "\"hours\"",
    "\"minutes\"",
    "\"weeks\"",
    "\"day\"",
    "\"\"",
];
