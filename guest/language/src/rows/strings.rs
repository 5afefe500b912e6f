//! Texts.

use super::arithmetic::IN_ORDER;
use crate::form::{BARE, Bare, at_least, between, builtin, exactly, operation};
use crate::kinds::{
    ANY, BOOLEAN, INTEGER, LIST, NULL, NUMBER, NUMBER_OR_NULL, NUMBER_OR_STRING, RECORD, REGEX,
    STRING, STRING_OR_LIST, VALUE,
};
use crate::prices::{MAKE, MAKER, OTHER, OUTSIDE, READER, SEARCHER, TEXT};
use crate::typing::{
    BOOL, FLT, GROUPS, INT, MAYBE_NUM, NUM, PART, PATTERN, PATTERNED, SPLIT, TEXT_OR_LIST, TXT,
    TXT_OR_NULL, TXTS, Type,
};

const CASED: &str = "the units of the text and of the result; those of a text that is not all ASCII three times \
        more";
const LISTED: &str = "the units of the text; 1 per element of the result";
const FOUND: &str = "of a text, its units and those of the part; of a list, its length, and that of `eq` for each \
        element that is looked at; of a set, as `has`; of a `regex`, as `matches`";
const OF_BOTH: &str = "the units of both texts";
const OF_TEXTS: &str = "the units of the operands that are texts, and of the result";
const PARTED: &str = "the pattern, and the search; 1 per element of the result";
const MATCHED: &str =
    "the pattern, and the search; 1 per match, and 1 per group of it, the whole being one";
const PLACES: &str = "The places are numbers, whose fraction does not count; null is as if they were absent. \
        Negative ones count from the end, but for `index_of` and `contains` of a text, where they \
        are 0.";

rows! { $ strings:
    Concat = operation("concat", at_least(2))
        .original(27).takes(&[STRING]).gives(STRING).apart()
        .work(OTHER, "of three or more texts, 1 per operand")
        .typed(&[TXT], TXT)
        .syntax(r#"{"concat": [a, b, …]}"#)
        .doc("Two or more texts joined.")
        .details(&[IN_ORDER])
        .example(r#"{"concat": ["foo", "bar"]}"#, r#""foobar""#);
    Upper = builtin("upper", BARE)
        .takes(&[STRING]).gives(STRING).visit(OUTSIDE).work(OTHER, CASED)
        .typed(&[TXT], TXT)
        .syntax(r#"{"upper": s}"#)
        .doc("The text in upper case.")
        .example(r#"{"upper": "straße"}"#, r#""STRASSE""#);
    Lower = builtin("lower", BARE)
        .takes(&[STRING]).gives(STRING).visit(OUTSIDE).work(TEXT, CASED)
        .typed(&[TXT], TXT)
        .syntax(r#"{"lower": s}"#)
        .doc("The text in lower case.")
        .example(r#"{"lower": "ÄB"}"#, r#""äb""#);
    Trim = builtin("trim", BARE)
        .takes(&[STRING]).gives(STRING).visit(MAKER)
        .work(OTHER, "the units of the text and of the result")
        .typed(&[TXT], TXT)
        .syntax(r#"{"trim": s}"#)
        .doc("Without white space at both ends; U+FEFF stays.")
        .example(r#"{"trim": "  a b "}"#, r#""a b""#);
    Chars = builtin("chars", BARE)
        .takes(&[STRING]).gives(LIST).visit(MAKER).work(OTHER, LISTED)
        .typed(&[TXT], TXTS)
        .syntax(r#"{"chars": s}"#)
        .doc("The list of its characters (code points).")
        .example(r#"{"chars": "abc"}"#, r#"["a","b","c"]"#);
    Lines = builtin("lines", BARE)
        .takes(&[STRING]).gives(LIST).visit(MAKER).work(OTHER, LISTED)
        .typed(&[TXT], TXTS)
        .syntax(r#"{"lines": s}"#)
        .doc("The list of its lines.")
        .example(r#"{"lines": "a\nb\n"}"#, r#"["a","b"]"#);
    Split = builtin("split", between(1, 3))
        .takes(&[STRING, STRING, NUMBER_OR_NULL, ANY]).gives(LIST).visit(OUTSIDE)
        .work(TEXT, "without a separator 1; the units of the text and the separator, and of the \
            text twice with an empty separator and no limit; 1 per element of the result; by a \
            `regex`, as `regex_split`")
        .own(&[TXT, PATTERN, MAYBE_NUM], SPLIT)
        .syntax(r#"{"split": [s, sep?, limit?]}"#)
        .doc("The parts between the separators, at most `limit`; the characters, if the separator \
            is empty. A `regex` puts its groups among the parts.")
        .example(r#"{"split": ["a,b,,c", ","]}"#, r#"["a","b","","c"]"#);
    Join = builtin("join", between(1, 2))
        .takes(&[LIST, STRING, ANY]).gives(STRING).visit(OUTSIDE)
        .work(TEXT, "the units of the separator and of the result; 1 per element of the list, and \
            of lists in it; 8 per float or date, the digits of a big integer")
        .typed(&[Type::Of(LIST), TXT], TXT)
        .syntax(r#"{"join": [list, sep?]}"#)
        .doc("Joins texts, with the separator between them, else a comma. Numbers and booleans \
            become text, null is empty, lists within are joined by commas.")
        .details(&[
            "Numbers are written as JavaScript does: a float without a fraction has no point, one \
                from 1e21 on or below 1e-6 an exponent. Records, pairs, maps and sets are \
                `type-mismatch`.",
        ])
        .example(r#"{"join": [["a", "b"], "-"]}"#, r#""a-b""#);
    Slice = builtin("slice", between(1, 3))
        .takes(&[STRING_OR_LIST, NUMBER_OR_NULL, NUMBER_OR_NULL, ANY]).visit(MAKER)
        .work(TEXT, "of a text, its units and those of the result; of a list, its length")
        .own(&[TEXT_OR_LIST, MAYBE_NUM, MAYBE_NUM], TEXT_OR_LIST)
        .syntax(r#"{"slice": [s or list, from?, to?]}"#)
        .doc("A part of a text or list, `to` excluded; negative indices count from the end.")
        .details(&[PLACES])
        .example(r#"{"slice": ["hello", 1, -1]}"#, r#""ell""#);
    Contains = builtin("contains", between(2, 3))
        .takes(&[STRING_OR_LIST, VALUE, NUMBER_OR_NULL, ANY]).gives(BOOLEAN).visit(OUTSIDE)
        .work(TEXT, FOUND)
        .own(&[TEXT_OR_LIST, PART, MAYBE_NUM], BOOL)
        .syntax(r#"{"contains": [s or list or set, x, from?]}"#)
        .doc("Whether a text has a part, or a list an element, from an index on; or a set.")
        .details(&[PLACES])
        .example(r#"{"contains": [[1, 2], 2]}"#, "true");
    StartsWith = builtin("starts_with", between(2, 3))
        .takes(&[STRING, STRING, NUMBER_OR_NULL, ANY]).gives(BOOLEAN).visit(MAKER)
        .work(TEXT, OF_BOTH)
        .typed(&[TXT, TXT, Type::Of(NUMBER | NULL)], BOOL)
        .syntax(r#"{"starts_with": [s, part, from?]}"#)
        .doc("Whether a text begins with a part, or has it at an index.")
        .example(r#"{"starts_with": ["hello", "he"]}"#, "true");
    EndsWith = builtin("ends_with", between(2, 3))
        .takes(&[STRING, STRING, NUMBER_OR_NULL, ANY]).gives(BOOLEAN).visit(MAKER)
        .work(TEXT, OF_BOTH)
        .typed(&[TXT, TXT, Type::Of(NUMBER | NULL)], BOOL)
        .syntax(r#"{"ends_with": [s, part, to?]}"#)
        .doc("Whether a text ends with a part, or has it before an index.")
        .example(r#"{"ends_with": ["hello", "lo"]}"#, "true");
    IndexOf = builtin("index_of", between(2, 3))
        .takes(&[STRING_OR_LIST, VALUE, NUMBER_OR_NULL, ANY]).visit(OUTSIDE).work(TEXT, FOUND)
        .own(&[TEXT_OR_LIST, PART, MAYBE_NUM], Type::Of(INTEGER | NULL))
        .syntax(r#"{"index_of": [s or list, x, from?]}"#)
        .doc("First index of a part or an element, from 0, looked for from an index on, or of a \
            match of a `regex`; null if absent.")
        .details(&[PLACES])
        .example(r#"{"index_of": ["hello", "l"]}"#, "2");
    Replace = builtin("replace", exactly(3))
        .takes(&[STRING]).gives(STRING).visit(OUTSIDE).work(OTHER, OF_TEXTS)
        .typed(&[TXT], TXT)
        .syntax(r#"{"replace": [s, from, to]}"#)
        .doc("Replaces each occurrence of a part.")
        .example(r#"{"replace": ["banana", "an", "AN"]}"#, r#""bANANa""#);
    Repeat = builtin("repeat", exactly(2))
        .takes(&[STRING, NUMBER, STRING, ANY]).gives(STRING).visit(MAKER).work(OTHER, OF_TEXTS)
        .typed(&[TXT, NUM], TXT)
        .syntax(r#"{"repeat": [s, n]}"#)
        .doc("The text n times.")
        .example(r#"{"repeat": ["ab", 3]}"#, r#""ababab""#);
    PadLeft = builtin("pad_left", between(2, 3))
        .takes(&[STRING, NUMBER, STRING, ANY]).gives(STRING).visit(MAKER).work(OTHER, OF_TEXTS)
        .typed(&[TXT, NUM, TXT], TXT)
        .syntax(r#"{"pad_left": [s, n, fill?]}"#)
        .doc("Filled on the left to n characters, with blanks or `fill`.")
        .example(r#"{"pad_left": ["7", 3, "0"]}"#, r#""007""#);
    PadRight = builtin("pad_right", between(2, 3))
        .takes(&[STRING, NUMBER, STRING, ANY]).gives(STRING).visit(MAKER).work(OTHER, OF_TEXTS)
        .typed(&[TXT, NUM, TXT], TXT)
        .syntax(r#"{"pad_right": [s, n, fill?]}"#)
        .doc("Filled on the right to n characters, with blanks or `fill`.")
        .example(r#"{"pad_right": ["ab", 4, "."]}"#, r#""ab..""#);
    ToString = builtin("to_string", BARE)
        .gives(STRING).visit(MAKER).work(TEXT, "as `json_text`; of a text none")
        .typed(&[Type::Deep], TXT)
        .syntax(r#"{"to_string": a}"#)
        .doc("A value as text: a text unchanged, the rest as JSON.")
        .example(r#"{"to_string": [1, "a"]}"#, r#""[1,\"a\"]""#);
    ParseInt = builtin("parse_int", BARE)
        .takes(&[STRING]).gives(NUMBER).visit(MAKER)
        .work(MAKE, "the units of the text; the digits of a long integer")
        .typed(&[TXT], INT)
        .syntax(r#"{"parse_int": s}"#)
        .doc("The integer in a text.")
        .example(r#"{"parse_int": "-042"}"#, "-42");
    ParseFloat = builtin("parse_float", BARE)
        .takes(&[STRING]).gives(NUMBER).visit(MAKER)
        .work(OTHER, "the units of the text; 16 for more than 19 characters without the sign and \
            the zeros before it")
        .typed(&[TXT], FLT)
        .syntax(r#"{"parse_float": s}"#)
        .doc("The float in a text.")
        .example(r#"{"parse_float": "2.50"}"#, "2.5");
    JsonParse = builtin("json_parse", BARE)
        .takes(&[STRING]).visit(READER)
        .work(TEXT, "the units of the text; 1 per element of a list and per member of a record; \
            the digits of long integers")
        .typed(&[TXT], Type::Any)
        .syntax(r#"{"json_parse": s}"#)
        .doc("The value of a JSON text.")
        .example(r#"{"json_parse": "{\"a\": [1, 2.5]}"}"#, r#"{"a":[1,2.5]}"#);
    JsonText = builtin("json_text", BARE)
        .gives(STRING).visit(MAKER)
        .work(TEXT, "1 per element of a list, per member of a record and per pair; 8 per float, \
            the digits of a big integer, the weight of a quoted term; the units of the result, or \
            of the part that was written before a function was met")
        .typed(&[Type::Deep], TXT)
        .syntax(r#"{"json_text": a}"#)
        .doc("A value as canonical JSON text.")
        .example(r#"{"json_text": {"record": {"b": 1, "a": null}}}"#, r#""{\"b\":1,\"a\":null}""#);
    CsvParse = builtin("csv_parse", between(1, 2).or_bare(Bare::Written))
        .takes(&[STRING, RECORD, ANY]).gives(LIST).visit(READER)
        .work(OTHER, "the units of the text; 1 per row and per cell, without the header; 1 per \
            option, and the units of its name")
        .typed(
            &[TXT, Type::Of(RECORD)],
            Type::Counted(&Type::List(&Type::Dictionary(&TXT)), &Type::List(&Type::Or(&[Type::Dictionary(&TXT), TXTS]))),
        )
        .syntax(r#"{"csv_parse": [s, options?]}"#)
        .doc("A CSV text with a header line as a list of records of texts; options, a record: \
            `delimiter`, `header` (false: lists).")
        .details(&[
            "A byte order mark at the beginning and lines with nothing in them are skipped. A row \
                of one empty cell is written `\"\"`. Every row has as many cells as the first. Two \
                columns of one name are `unparsable`. The options are `delimiter`, one character \
                other than a quote and the ends of lines, and `header`: `false` makes a list of \
                texts of each row.",
        ])
        .example(r#"{"csv_parse": "name,age\nAda,36\n"}"#, r#"[{"name":"Ada","age":"36"}]"#);
    Matches = builtin("matches", exactly(2))
        .takes(&[STRING]).gives(BOOLEAN).visit(SEARCHER).work(OTHER, "the pattern, and the search")
        .typed(&[PATTERNED, PATTERN], BOOL)
        .syntax(r#"{"matches": [s, regex]}"#)
        .doc("Whether a regular expression matches anywhere in a text.")
        .example(r#"{"matches": ["abc123", "[0-9]+"]}"#, "true");
    FindAll = builtin("find_all", exactly(2))
        .takes(&[STRING]).gives(LIST).visit(SEARCHER).work(OTHER, PARTED)
        .typed(&[TXT, PATTERN], TXTS)
        .syntax(r#"{"find_all": [s, regex]}"#)
        .doc("All parts that a regular expression matches.")
        .example(r#"{"find_all": ["a1b22", "[0-9]+"]}"#, r#"["1","22"]"#);
    RegexReplace = builtin("regex_replace", exactly(3))
        .takes(&[STRING]).gives(STRING).visit(SEARCHER)
        .work(OTHER, "the pattern, and the search; the units of replacement and result, the \
            dollars of the replacement; per match 1, and these dollars")
        .typed(&[TXT, PATTERN, TXT], TXT)
        .syntax(r#"{"regex_replace": [s, regex, to]}"#)
        .doc("Replaces each match; `$1` and `${name}` are groups of the regex, `$$` a dollar.")
        .details(&[
            "In the replacement `$1`, `$name` and `${name}` are groups. `$$` is a dollar, as is a \
                `$` before anything that is no name. A name goes on as far as letters, digits and \
                `_` do: `${1}_en` is group 1 and then `_en`. A group that the regex does not have \
                is the fault `regex`. A group that did not match is empty. `\\1` and `$&` are no \
                groups.",
        ])
        .example(r#"{"regex_replace": ["a-b", "(\\w)-(\\w)", "$2-$1"]}"#, r#""b-a""#);
    RegexSplit = builtin("regex_split", exactly(2))
        .takes(&[STRING]).gives(LIST).visit(SEARCHER).work(OTHER, PARTED)
        .typed(&[TXT, PATTERN], SPLIT)
        .syntax(r#"{"regex_split": [s, regex]}"#)
        .doc("The parts between the matches of a regular expression.")
        .example(r#"{"regex_split": ["a, b;c", "[,;] *"]}"#, r#"["a","b","c"]"#);
    Captures = builtin("captures", exactly(2))
        .takes(&[STRING]).gives(LIST).visit(SEARCHER).work(OTHER, MATCHED)
        .typed(&[TXT, PATTERN], Type::List(&Type::Dictionary(&TXT_OR_NULL)))
        .syntax(r#"{"captures": [s, regex]}"#)
        .doc("A record for each match: its groups by name or number, `0` the whole match; null for \
            an unused group.")
        .example(
            r#"{"captures": ["k=1", "(?P<key>\\w)=(\\d)"]}"#,
            r#"[{"0":"k=1","2":"1","key":"k"}]"#,
        );
    Encode = builtin("encode", exactly(2))
        .takes(&[STRING]).gives(STRING).visit(MAKER).work(TEXT, OF_TEXTS)
        .typed(&[TXT], TXT)
        .syntax(r#"{"encode": [s, encoding]}"#)
        .doc("The bytes of a text (UTF-8) as `base64`, `base64url` (without padding), `hex`, `url` \
            (percent-encoding), or `component` (as `encodeURIComponent`).")
        .example(r#"{"encode": ["häh?", "base64"]}"#, r#""aMOkaD8=""#);
    Decode = builtin("decode", exactly(2))
        .takes(&[STRING]).gives(STRING).visit(MAKER).work(TEXT, OF_TEXTS)
        .typed(&[TXT], TXT)
        .syntax(r#"{"decode": [s, encoding]}"#)
        .doc("The text encoded as `base64`, `base64url`, `hex`, `url` or `component`.")
        .example(r#"{"decode": ["h%C3%A4h%3F", "url"]}"#, r#""häh?""#);
    CharCode = builtin("char_code", BARE)
        .takes(&[STRING]).gives(NUMBER).visit(OUTSIDE).work(TEXT, "the units of the text")
        .typed(&[TXT], INT)
        .syntax(r#"{"char_code": s}"#)
        .doc("The code point of the first character.")
        .example(r#"{"char_code": "é"}"#, "233");
    FromCharCode = builtin("from_char_code", BARE)
        .takes(&[NUMBER]).gives(STRING).visit(OUTSIDE)
        .typed(&[NUM], TXT)
        .syntax(r#"{"from_char_code": n}"#)
        .doc("The character with a code point, as a text.")
        .example(r#"{"from_char_code": 8364}"#, r#""€""#);
    FormatNumber = builtin("format_number", between(1, 2).or_bare(Bare::Written))
        .takes(&[NUMBER, RECORD]).gives(STRING).visit(MAKER)
        .work(TEXT, "1 per option, and the units of its name; the digits of a big integer; the \
            units of the result")
        .typed(&[NUM, Type::Of(RECORD)], TXT)
        .syntax(r#"{"format_number": [n, options?]}"#)
        .doc("A number for people to read; options, a record: `decimals`, `group` and `point` \
            (characters), `rounding` (`half-even` or `half-up`, of the digits that you see).")
        .example(
            r#"{"format_number": [1234.5, {"record": {"decimals": 2, "group": ","}}]}"#,
            r#""1,234.50""#,
        );
    AsText = builtin("as_text", BARE)
        .takes(&[VALUE]).gives(STRING).visit(MAKER)
        .work(TEXT, "of a text none; 1 per element of a list or pair; 8 per float or date, the \
            digits of a big integer; the units of the result")
        .typed(&[Type::Deep], TXT)
        .syntax(r#"{"as_text": a}"#)
        .doc("The text of a value, as `String` of JavaScript writes it.")
        .example(r#"{"as_text": [1, {"float": 2}, null]}"#, r#""1,2,""#);
    Stringify = builtin("stringify", between(1, 2))
        .takes(&[VALUE, NUMBER_OR_STRING | NULL, ANY]).gives(STRING).visit(MAKER)
        .work(TEXT, "as `as_text`; 1 per member of a record")
        .typed(&[Type::Deep, Type::Of(NUMBER | STRING | NULL)], TXT_OR_NULL)
        .syntax(r#"{"stringify": [a, indent?]}"#)
        .doc("JSON text as `JSON.stringify` of JavaScript writes it; the indent is a number of \
            blanks or a text.")
        .example(r#"{"stringify": [[1, {"float": 2}]]}"#, r#""[1,2]""#);
    LastIndexOf = builtin("last_index_of", exactly(2))
        .takes(&[STRING_OR_LIST, ANY]).visit(MAKER).work(TEXT, FOUND)
        .own(&[TEXT_OR_LIST, PART], Type::Of(INTEGER | NULL))
        .syntax(r#"{"last_index_of": [s or list, x]}"#)
        .doc("The last index of a part or an element; null if there is none.")
        .example(r#"{"last_index_of": ["abcab", "ab"]}"#, "3");
    LocaleCompare = builtin("locale_compare", between(2, 3))
        .takes(&[STRING, STRING, BOOLEAN, ANY]).gives(NUMBER).visit(MAKER).work(TEXT, OF_BOTH)
        .typed(&[TXT, TXT, BOOL], INT)
        .syntax(r#"{"locale_compare": [a, b, numeric?]}"#)
        .doc("-1, 0 or 1: the order of two texts in a dictionary, letters before their capitals; \
            numeric: digits by their value.")
        .example(r#"{"locale_compare": ["a", "B"]}"#, "-1");
    Regex = builtin("regex", exactly(2))
        .takes(&[STRING]).visit(MAKER).apart().work(OTHER, "the pattern")
        .typed(&[TXT], Type::Of(REGEX))
        .syntax(r#"{"regex": [pattern, flags]}"#)
        .doc("A regular expression as a value, with flags of `gimsuy`. Forms that take a pattern \
            take it.")
        .details(&[
            "Syntax and meaning are those of JavaScript: `\\d \\w \\b` are ASCII, `$` is the end \
                of the text unless there is the flag `m`, a repetition forgets its groups each \
                time. Texts are characters, with and without the flag `u`; `\\ud83d` alone is the \
                fault `regex`. So are lookbehind and backreferences, and flags other than \
                `gimsuy`. A lookahead works; where the text of a group in `(?=…)` is needed, that \
                is the fault `regex`. As a result it is a text, `/a/g`. Where a form takes a \
                pattern, a text has the syntax of the Rust crates in `matches find_all captures \
                regex_replace regex_split`, and that of JavaScript in `regex_match \
                regex_match_all`; it stands for itself in `split`, `regex_parts` and `substitute`.",
        ])
        .example(r#"{"matches": ["ABC", {"regex": ["b", "i"]}]}"#, "true");
    RegexMatch = builtin("regex_match", exactly(2))
        .takes(&[STRING, ANY]).visit(SEARCHER)
        .work(OTHER, "as `regex_match_all`; with the flag g, as `find_all`")
        .own(&[TXT, PATTERN], Type::Maybe(&GROUPS))
        .syntax(r#"{"regex_match": [s, regex]}"#)
        .doc("As `match` of JavaScript: with the flag g all matches, else the first match and its \
            groups; null if there is none.")
        .example(r#"{"regex_match": ["a1b22", {"regex": ["[0-9]+", "g"]}]}"#, r#"["1","22"]"#);
    RegexMatchAll = builtin("regex_match_all", exactly(2))
        .takes(&[STRING, ANY]).gives(LIST).visit(SEARCHER).work(OTHER, MATCHED)
        .typed(&[TXT, PATTERN], Type::List(&GROUPS))
        .syntax(r#"{"regex_match_all": [s, regex]}"#)
        .doc("All matches, each with its groups.")
        .example(
            r#"{"regex_match_all": ["a1b2", {"regex": ["([a-z])([0-9])", "g"]}]}"#,
            r#"[["a1","a","1"],["b2","b","2"]]"#,
        );
    RegexParts = builtin("regex_parts", between(2, 3))
        .takes(&[STRING, ANY, BOOLEAN, ANY]).gives(LIST).visit(SEARCHER)
        .work(OTHER, "as `regex_match_all`; with a text, the units of both texts in place of \
            pattern and search")
        .typed(&[TXT, PATTERN, BOOL], Type::Of(LIST))
        .syntax(r#"{"regex_parts": [s, regex or text, all?]}"#)
        .doc("A text in parts: for each match a list of the match, its groups, its index and the \
            whole text (and a record of named groups, if it has any); the texts before, between \
            and after them, also empty ones. Only the first match counts without the flag g or \
            `all`.")
        .details(&[
            "Texts and matches take turns: the first and the last part is a text, which may be \
                empty. A match is a list of the match, its groups, its index, the whole text, and \
                the record of its named groups if there are any.",
        ])
        .example(
            r#"{"regex_parts": ["a1b", {"regex": ["[0-9]", "g"]}]}"#,
            r#"["a",["1",1,"a1b"],"b"]"#,
        );
    Substitute = builtin("substitute", between(3, 4))
        .takes(&[STRING, ANY, STRING, BOOLEAN, ANY]).gives(STRING).visit(SEARCHER)
        .work(OTHER, "as `regex_replace`; with a text, the units of both texts in place of pattern \
            and search")
        .typed(&[TXT, PATTERN, TXT, BOOL], TXT)
        .syntax(r#"{"substitute": [s, text or regex, replacement, all?]}"#)
        .doc("As `replace` of JavaScript: the first match, or all with the flag g or `all`; `$&`, \
            `$1`, `$<name>` and `$$` in the replacement.")
        .details(&[
            "The replacement knows `$$`, `$&`, `` $` ``, `$'`, `$1` to `$99` and `$<name>` as \
                JavaScript does. Anything else after a dollar is text.",
        ])
        .example(r#"{"substitute": ["a-b-c", "-", "+"]}"#, r#""a+b-c""#);
    Normalize = builtin("normalize", between(1, 2))
        .takes(&[STRING]).gives(STRING).visit(MAKER)
        .work(TEXT, "the units of the text, of the name of the form and of the result; those of a \
            text that is not all ASCII three times more")
        .typed(&[TXT], TXT)
        .syntax(r#"{"normalize": [s, form?]}"#)
        .doc("A text in a normal form of Unicode: `NFC`, letters with their marks as one \
            character, or `NFD`, apart.")
        .example(r#"{"length": {"normalize": ["é", "NFD"]}}"#, "2");
}
