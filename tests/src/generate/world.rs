//! What the random operands of forms on texts, numbers and records are made of: literals as
//! they are written in a term. Those that are no good stand among them.

/// Tools of other servers; the last is denied.
pub(super) const CAPABILITIES: &[&str] = &[
    "test.echo",
    "test.echo",
    "test.one",
    "test.issues",
    "test.long",
    "test.broken",
    "test.twice",
    "test.infinite",
    "test.slow",
    "test.sad",
    "test.gone",
    "test.strict",
    "clock.now",
];

pub(super) const NUMERALS: &[&str] = &[
    "\"0\"",
    "\"-12\"",
    "\"+7\"",
    "\"1.5\"",
    "\"-0.0\"",
    "\"1e3\"",
    "\"1E-400\"",
    "\"1e400\"",
    "\"18446744073709551616\"",
    "\"-123456789012345678901234567890123456789012345\"",
    "\"0.1000000000000000055511151231257827021181583404541015625\"",
    "\"\"",
    "\"- 1\"",
    "\"1_0\"",
    "\"0x10\"",
    "\"٣\"",
    "\" 5 \"",
    "\".5\"",
    "\"5.\"",
    "\"nan\"",
    "3",
    "2.5",
    "\"2.2250738585072011e-308\"",
];

pub(super) const ACCENTED: &[&str] = &[
    "\"abc\"",
    "\"\"",
    "\"é\"",
    "\"e\u{301}\"",
    "\"o\u{328}\u{304}\u{301}\"",
    "\"가각\"",
    "\"\u{1112}\u{1161}\u{11ab}글\"",
    "\"ﬁ Å Ω\"",
    "\"が\u{3099}か\u{3099}\"",
    "\"עברית\"",
    "\"日本語 ё ΐ\"",
];

pub(super) const NORMAL_FORMS: &[&str] = &["\"NFC\"", "\"NFD\"", "\"NFD\"", "\"nfc\""];

pub(super) const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "5",
    "12",
    "-7",
    "{\"float\":0.5}",
    "{\"float\":-2.5}",
    "{\"float\":1e300}",
    "{\"float\":3.0}",
    "{\"float\":-0.0}",
    "{\"float\":5e-324}",
    "{\"float\":9007199254740992.0}",
    "4611686018427387904",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
    "-340282366920938463463374607431768211457",
    "{\"pow\":[7,200]}",
    "{\"neg\":[{\"pow\":[3,500]}]}",
    "{\"fdiv\":[1,3]}",
];

pub(super) const COUNTS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "5",
    "-1",
    "-3",
    "17",
    "100",
    "50",
    "{\"float\":12.5}",
    "{\"float\":1.0}",
    "18446744073709551616",
    "-18446744073709551616",
    "4611686018427387903",
    "-400",
    "400",
];

pub(super) const TEXTS: &[&str] = &[
    "\"\"",
    "\"a\"",
    "\"a,b,,c\"",
    "\"  a b \"",
    "\"The quick brown fox\"",
    "\"straße ΣΑΣ\"",
    "\"日本語、かな\"",
    "\"👍🏽 é̈ İ ı\"",
    "\"line\\nline\\r\\nlast\\n\"",
    "\"aaaaaaaaaaaaaaaa\"",
    "\"abababababababababababababababababababababababababababababababababababab\"",
    "\"key=1; key=22\"",
    "\"\\u0000\\u001f\\u007f\"",
    "\"{\\\"a\\\":[1,2]}\"",
    "\"2024-02-29\"",
    "\"ΑΣ ΣΣ Σ.\"",
    "{\"concat\":[\"ab\",{\"concat\":[\"a\",\"b,\"]}]}",
    "{\"repeat\":[\"xy\",40]}",
    "{\"repeat\":[\"ä\",33]}",
    "{\"concat\":[{\"repeat\":[\"z\",70]},\"z\"]}",
];

pub(super) const PARTS: &[&str] = &[
    "\"\"",
    "\"a\"",
    "\",\"",
    "\" \"",
    "\"ab\"",
    "\"aa\"",
    "\"ß\"",
    "\"本\"",
    "\"\\n\"",
    "\"zz\"",
    "\"aaaaaaaaab\"",
    "{\"concat\":[\"a\",\"b\"]}",
];

pub(super) const PATTERNS: &[&str] = &[
    "\"a\"",
    "\"a*\"",
    "\"\"",
    "\"[a-c]+\"",
    "\"(a)(b)?\"",
    "\"(?i)STRASSE|ß\"",
    "\"\\\\w+\"",
    "\"\\\\d{2,4}-\\\\d\"",
    "\"^.\"",
    "\"(?m)^\\\\w*$\"",
    "\"(?<k>\\\\w+)=(\\\\d+)\"",
    "\"\\\\p{L}\"",
    "\"\\\\bb\"",
    "\"[^\\\\w ]\"",
    "\"(\"",
    "\"a{1000}{1000}\"",
    "\"(?=a)\"",
    "\"(a|ab)(c|bcd)*\"",
    "\"(?s).\"",
    "\"(?x) a b # c\"",
    "\"a**\"",
    "\"\\\\Bk\"",
    "\"(a*)*\"",
    "\"$\"",
    "{\"regex\": [\"a\", \"g\"]}",
    "{\"regex\": [\"(a)|b\", \"g\"]}",
    "{\"regex\": [\"[a-c]+\", \"i\"]}",
    "{\"regex\": [\"(?:(a)|(b))*\", \"g\"]}",
    "{\"regex\": [\"(a*)*\", \"g\"]}",
    "{\"regex\": [\"\\\\b\\\\w\", \"gi\"]}",
    "{\"regex\": [\"(?<k>\\\\w+)=(?<v>\\\\d+)?\", \"g\"]}",
    "{\"regex\": [\"(?=(?:\\\\d{3})+$)\", \"g\"]}",
    "{\"regex\": [\"(?=(a))\", \"g\"]}",
    "{\"regex\": [\"x(?!y)\", \"gu\"]}",
    "{\"regex\": [\"^.$\", \"gm\"]}",
    "{\"regex\": [\"\", \"g\"]}",
    "{\"regex\": [\"[^]\", \"gsu\"]}",
    "{\"regex\": [\"\\\\d\", \"y\"]}",
    "{\"regex\": [\"a|\", \"gy\"]}",
    "{\"regex\": [\"(\", \"g\"]}",
    "{\"regex\": [\"\\\\1(a)\", \"\"]}",
    "{\"regex\": [\"b??(c)?\", \"\"]}",
    "{\"regex\": [\"\\\\s*,\\\\s*\", \"\"]}",
    "{\"regex\": [\"é\", \"giu\"]}",
    "{\"regex\": [\"a{2,3}?\", \"g\"]}",
    "{\"regex\": [\"(?:a?b??){0,2}\", \"g\"]}",
];

pub(super) const REPLACEMENTS: &[&str] = &[
    "\"\"",
    "\"x\"",
    "\"$1\"",
    "\"<$0>\"",
    "\"$2-$1\"",
    "\"$k\"",
    "\"${k}s\"",
    "\"$$\"",
    "\"$\"",
    "\"$9\"",
    "\"${1}x$1_\"",
];

pub(super) const JSON: &[&str] = &[
    "\"1\"",
    "\" [1, 2.50, -0, 1e5] \"",
    "\"{\\\"b\\\":1,\\\"a\\\":{\\\"c\\\":[]}}\"",
    "\"{\\\"a\\\":1,\\\"a\\\":2}\"",
    "\"\\\"\\\\ud83d\\\\ude00\\\"\"",
    "\"\\\"\\\\ud83d\\\"\"",
    "\"[1,]\"",
    "\"\"",
    "\"nul\"",
    "\"[[[[[[]]]]]]\"",
    "\"123456789012345678901234567890\"",
    "\"1e999\"",
    "\"tru\"",
    "\"[\\\"ä\\\",null,true]\"",
    "\"{\\\"a\\\":\"",
    "\"01\"",
];

pub(super) const CSV: &[&str] = &[
    "\"a,b\\n1,2\\n\"",
    "\"a\\n\\\"x, \\\"\\\"y\\\"\\\"\\\"\\r\\n\"",
    "\"\"",
    "\"a,a\\n1,2\"",
    "\"a,b\\n1\"",
    "\"a\\n\\\"open\"",
    "\"ä,b,c\\n,,\\n\\n1,2,3\"",
    "\"a\\r\\n1\\r\\n\"",
    "\"\\ufeffa\\n1\"",
    "\",\\n,\"",
    "\"a;b\\r\\n\\r\\n1;\\\"2\\n\\\"\\n\\n\"",
];

pub(super) const OPTIONS: &[&str] = &[
    "{\"record\":{}}",
    "{\"record\":{\"header\":false}}",
    "{\"record\":{\"delimiter\":\";\"}}",
    "{\"record\":{\"delimiter\":\"\\t\",\"header\":true}}",
    "{\"record\":{\"delimiter\":\"\"}}",
    "{\"record\":{\"delimeter\":\";\"}}",
    "{\"record\":{\"header\":1}}",
];

pub(super) const RETRIES: &[&str] = &[
    "{\"record\":{}}",
    "{\"record\":{\"attempts\":2}}",
    "{\"record\":{\"attempts\":1,\"first_ms\":0}}",
    "{\"record\":{\"factor\":1.5,\"first_ms\":30000}}",
    "{\"record\":{\"on\":[\"tool-error\"]}}",
    "{\"record\":{\"attempts\":0}}",
    "{\"record\":{\"on\":[\"budget\"]}}",
    "{\"record\":{\"first\":1}}",
];

pub(super) const KEYS: &[&str] = &[
    "\"a\"",
    "\"b\"",
    "\"é\"",
    "\"\"",
    "\"var\"",
    "\"length\"",
    "\"1\"",
    "0",
    "17",
    "-1",
    "true",
    "null",
    "{\"float\":1.0}",
    "{\"float\":-0.0}",
    "{\"float\":1.5}",
    "{\"float\":1e21}",
    "4611686018427387904",
    "{\"concat\":[\"a\",\"\"]}",
    "{\"concat\":[\"a\",\"b\"]}",
];

pub(super) const PATHS: &[&str] = &[
    "[]",
    "[\"a\"]",
    "[\"a\",0]",
    "[\"b\",\"a\"]",
    "[0]",
    "[-1,\"a\"]",
    "[\"a\",\"a\",\"b\"]",
    "[{\"concat\":[\"a\",\"\"]}]",
    "[1,2]",
    "[\"a\",\"length\"]",
    "[\"0\",0,true]",
    "[{\"float\":0.0},null]",
];

pub(super) const ENTRIES: &[&str] = &[
    "[]",
    "[[1,2],[\"a\",3],[{\"float\":1.0},4]]",
    "[[1],[],[1,2,3]]",
    "[{\"pair\":[\"a\",1]}]",
    "[{\"pair\":[\"b\",1]},{\"pair\":[\"a\",2]},{\"pair\":[\"b\",3]}]",
    "[{\"pair\":[1,2]}]",
    "[[\"a\",1],[10,2],[true,3],[\"9\",4],[10,5],[{\"float\":0.5},6]]",
    "{\"enumerate\":{\"range\":[0,18]}}",
    "{\"entries\":{\"record\":{\"x\":1,\"a\":2}}}",
];

/// Values that hold others, with maps and sets of them.
pub(super) const HOLDERS: &[&str] = &[
    "[1,2,1]",
    "[\"b\",[2],null]",
    "\"añb\"",
    "null",
    "{\"to_set\":null}",
    "{\"to_set\":[3,\"a\",3,{\"float\":3.0},[1,{\"float\":2.5}],null,\"a longer text of some bytes\"]}",
    "{\"to_set\":[{\"to_set\":[1,2]},{\"to_set\":[2,1]},{\"to_map\":[[1,2]]},{\"record\":{\"a\":1}}]}",
    "{\"to_set\":\"banana\"}",
];

/// Maps, and now and then a set or a record.
pub(super) const MAPS: &[&str] = &[
    "{\"to_map\":[]}",
    "{\"to_map\":[[\"a\",1],[\"b\",[2]],[\"a\",3]]}",
    "{\"to_map\":[[1,\"x\"],[{\"float\":1.5},\"y\"],[{\"float\":1.0},\"z\"],[null,0],[[1,2],1]]}",
    "{\"to_map\":{\"zip\":[{\"range\":[0,40]},{\"range\":[5,45]}]}}",
    "{\"to_map\":[[\"f\",{\"lam\":\"x\",\"body\":{\"var\":\"x\"}}],[18446744073709551616,1]]}",
    "{\"to_set\":[1,\"a\",null]}",
    "{\"record\":{\"a\":1}}",
];

/// What may be a key of those.
pub(super) const ANY_KEYS: &[&str] = &[
    "1",
    "39",
    "3",
    "\"a\"",
    "\"size\"",
    "{\"float\":1.0}",
    "[1,2]",
    "null",
    "18446744073709551616",
    "{\"to_set\":[2,1]}",
    "{\"record\":{\"a\":1}}",
    "\"a longer text of some bytes\"",
    "{\"lam\":\"x\",\"body\":1}",
];

/// Elements that `join` has a text for, or not.
pub(super) const JOINED: &[&str] = &[
    "[]",
    "[\"a\"]",
    "[\"a\",\"\",\"bc\"]",
    "[\"ä\",{\"concat\":[\"b\",\"c\"]}]",
    "[1,{\"float\":2.0},\"a\",null,true]",
    "[[1,[2,{\"float\":-0.5}]],[],null,[null]]",
    "[{\"float\":1e21},{\"float\":1.5e-7},{\"float\":123456.789},{\"float\":-0.0},18446744073709551616]",
    "[1,{\"record\":{}}]",
    "[[\"a\",{\"pair\":[1,2]}]]",
];

/// Lists of lists, of several depths.
pub(super) const NESTED: &[&str] =
    &["[[1],[2,[3,[4]]],5]", "[[],[[]],[[[]]]]", "[[[[\"a\"]]],null,[1,2,3]]"];

/// Depths, which are literals.
pub(super) const DEPTHS: &[&str] =
    &["0", "1", "2", "-1", "{\"float\":1.5}", "18446744073709551616"];

pub(super) const ORDERS: &[&str] = &["\"desc\"", "\"asc\"", "\"DESC\"", "null"];

pub(super) const NULLS: &[&str] =
    &["null", "null", "null", "0", "false", "{\"find\":[{\"lam\":\"x\",\"body\":false},[1]]}"];

pub(super) const ENCODINGS: &[&str] =
    &["\"base64\"", "\"base64url\"", "\"hex\"", "\"url\"", "\"Base64\"", "\"rot13\"", "null"];

pub(super) const ENCODED: &[&str] = &[
    "\"\"",
    "\"aMOkaA==\"",
    "\"aMOkaA\"",
    "\"aMOkaA=\"",
    "\"_-8\"",
    "\"/w==\"",
    "\"68c3A468\"",
    "\"6\"",
    "\"ff\"",
    "\"h%C3%a4h+%20\"",
    "\"%\"",
    "\"%FF\"",
    "\"a b\"",
    "{\"encode\":[\"häh 👍\",\"base64\"]}",
    "{\"encode\":[\"häh 👍\",\"url\"]}",
    "{\"repeat\":[\"YWJj\",40]}",
];

pub(super) const CODES: &[&str] = &[
    "0",
    "97",
    "8364",
    "128077",
    "55296",
    "1114111",
    "1114112",
    "-1",
    "{\"float\":97.0}",
    "18446744073709551616",
    "{\"char_code\":\"é\"}",
];

pub(super) const NUMBER_OPTIONS: &[&str] = &[
    "{\"record\":{}}",
    "{\"record\":{\"decimals\":2}}",
    "{\"record\":{\"decimals\":0,\"group\":\",\"}}",
    "{\"record\":{\"decimals\":3,\"group\":\".\",\"point\":\",\"}}",
    "{\"record\":{\"decimals\":1,\"rounding\":\"half-up\"}}",
    "{\"record\":{\"decimals\":25,\"rounding\":\"half-even\"}}",
    "{\"record\":{\"group\":\"\"}}",
    "{\"record\":{\"decimals\":-1}}",
    "{\"record\":{\"decimals\":\"2\"}}",
    "{\"record\":{\"decimal\":2}}",
    "{\"record\":{\"point\":\"ab\"}}",
];
