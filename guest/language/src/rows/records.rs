//! Records, maps and sets.

use crate::form::{BARE, Bare, Shape, Taken, between, builtin, control, elementwise, exactly};
use crate::kinds::{
    ANY, BOOLEAN, FUNCTION, ITERABLE, KEY, KEY_OR_NULL, LIST, LIST_OR_NULL, MAP, MERGED, RECORD,
    RECORD_OR_LIST, SET, UNKNOWN, VALUE,
};
use crate::prices::{LOOK_UP, MAKE, MAKER, OTHER, OUTSIDE, TEXT};
use crate::typing::{BOOL, INDEX, LIST_A, MEMBERS_A, PAIR_AB, PATH, RECORD_A, TXT, TXTS, Type};

const MEMBERS: &str = "1 per member or element; of a map or set, 4 per key";
const CHOSEN: &str = "1 per member; 4 per key in the list, and its units";
const MADE: &str = "as `elements` for what is no list; 4 per element, and the content of its key; 4 per key of \
        the result";
const OF_LISTS: &str = "Lists are taken too. `put` and `put_in` add an element where the index is the length of the \
        list, and are `out-of-range` beyond.";
const NEW: &str = "The record is a new one. `update` needs the key; the others ignore keys that are missing. For \
        `merge` null, booleans, numbers and the empty text are records without members.";

rows! { $ records:
    Record = control("record", Shape::Fields)
        .original(34).gives(RECORD).visit(OUTSIDE)
        .own(&[], Type::Of(RECORD))
        .syntax(r#"{"record": {"k": t}}"#)
        .doc("A record: values under text keys.")
        .example(r#"{"record": {"b": 2, "a": {"add": [1, 0]}}}"#, r#"{"b":2,"a":1}"#);
    Get = builtin("get", between(2, 3))
        .takes(&[VALUE, KEY_OR_NULL, ANY]).visit(OUTSIDE)
        .work(LOOK_UP, "the key; 1 of fuel for each element that is passed on the way to an index, \
            or counted for `length`, and for each two bytes of a text, rounded down to units; of a \
            map or set, the units of the key")
        .own(&[MEMBERS_A, INDEX, Type::A], Type::A)
        .syntax(r#"{"get": [record, key, default?]}"#)
        .doc("The value of a key; the default if it is missing, or there is null. Also the element \
            of a list or the character of a text at an index from 0, their `length`, and the \
            `size` of a map or set.")
        .details(&[
            "It reads a member as JavaScript does: of a record the value of a key, of a list the \
                element, of a text the character (code point) at an index, of lists and texts \
                `\"length\"`, of a pair the half at 0 or 1. It takes its default where nothing is \
                there: no such key (else `missing-key`) or index (else `out-of-range`), null, a \
                number, a boolean or a function in place of the record (else `type-mismatch`), and \
                where the key is null.",
        ])
        .example(r#"{"get": [{"record": {"a": 1}}, "b", 0]}"#, "0");
    GetIn = builtin("get_in", between(2, 3))
        .takes(&[ANY, LIST, ANY]).visit(MAKER)
        .work(OTHER, "1 per element of the path, and its key; what is passed, as for `get`")
        .own(&[Type::Any, PATH, Type::Any], Type::Any)
        .syntax(r#"{"get_in": [record, [key, …], default?]}"#)
        .doc("The value at a path of keys and indices, each read as `get` reads it.")
        .details(&[
            "It takes its default in more cases than `get`: where an index is beyond the list, and \
                where the path leads through a value that has no such parts (without a default: \
                `missing-key`, `out-of-range`, `type-mismatch`). A path that is no list of keys is \
                `type-mismatch` in any case; null is a step where there is a default. It may begin \
                at a list. The empty path gives the value itself.",
        ])
        .example(r#"{"get_in": [{"record": {"a": [10, 20]}}, ["a", 1]]}"#, "20");
    Has = builtin("has", exactly(2))
        .takes(&[RECORD_OR_LIST, ANY]).gives(BOOLEAN).visit(OUTSIDE)
        .work(LOOK_UP, "as `get`; of a map or set as `lookup`")
        .own(&[MEMBERS_A, INDEX], BOOL)
        .syntax(r#"{"has": [record, key]}"#)
        .doc("Whether a record or a map has a key, a list an index, or a set an element.")
        .details(&[OF_LISTS])
        .example(r#"{"has": [{"record": {"a": null}}, "a"]}"#, "true");
    Put = builtin("put", exactly(3))
        .takes(&[RECORD_OR_LIST, KEY, VALUE, ANY]).visit(MAKER)
        .work(MAKE, "the key; 1 per member of the record, of more than 64 members 16, and 2 per bit of their \
            number; of a list 1, and half the index")
        .own(&[MEMBERS_A, INDEX, Type::A], MEMBERS_A)
        .syntax(r#"{"put": [record, key, value]}"#)
        .doc("The record with this value under the key, a new key last; the list with this element \
            at an index up to its length.")
        .details(&[OF_LISTS, NEW])
        .example(r#"{"put": [{"record": {"a": 1}}, "b", 2]}"#, r#"{"a":1,"b":2}"#);
    Update = elementwise("update", exactly(3), Taken::Update)
        .takes(&[RECORD_OR_LIST, KEY, FUNCTION, ANY]).visit(MAKER)
        .work(MAKE, "as `put`; of a list also 1 of fuel for each element before the index")
        .own(&[MEMBERS_A, INDEX, Type::Function(&[Type::A], &Type::A)], MEMBERS_A)
        .syntax(r#"{"update": [record, key, f]}"#)
        .doc("The record with f applied to the key's value, or the list with f applied to the \
            element at an index.")
        .details(&[OF_LISTS, NEW])
        .example(
            r#"{"update": [{"record": {"a": 1}}, "a", {"lam": "x", "body": {"add": [{"var": "x"}, 1]}}]}"#,
            r#"{"a":2}"#,
        );
    PutIn = builtin("put_in", exactly(3))
        .takes(&[ANY, LIST, VALUE]).visit(MAKER)
        .work(MAKE, "1 per element of the path, and its key; for each record or list on the way as \
            `put`")
        .own(&[Type::Of(RECORD | LIST), PATH, Type::Any], Type::Any)
        .syntax(r#"{"put_in": [record, [key, …], value]}"#)
        .doc("The record with a value at a path of keys and list indices; missing records are \
            made.")
        .details(&[OF_LISTS])
        .example(r#"{"put_in": [{"record": {"a": [10, 20]}}, ["a", 1], 5]}"#, r#"{"a":[10,5]}"#);
    UpdateIn = elementwise("update_in", exactly(3), Taken::Update)
        .takes(&[ANY, LIST, FUNCTION, ANY]).visit(MAKER)
        .work(MAKE, "as `put_in`; what is passed, as for `get`")
        .own(
            &[Type::Of(RECORD | LIST), PATH, Type::Function(&[Type::Any], &Type::Any)],
            Type::Any,
        )
        .syntax(r#"{"update_in": [record, [key, …], f]}"#)
        .doc("The record with f applied to the value at a path of keys and list indices.")
        .details(&[OF_LISTS])
        .example(
            r#"{"update_in": [{"record": {"a": [10, 20]}}, ["a", 1], {"lam": "x", "body": {"add": [{"var": "x"}, 1]}}]}"#,
            r#"{"a":[10,21]}"#,
        );
    Remove = builtin("remove", exactly(2))
        .takes(&[RECORD, ANY]).visit(MAKER).work(MAKE, "as `put`; of a map or set as `insert`")
        .own(&[RECORD_A, TXT], RECORD_A)
        .syntax(r#"{"remove": [record, key]}"#)
        .doc("The record or map without a key, or the set without an element.")
        .details(&[NEW])
        .example(r#"{"remove": [{"record": {"a": 1, "b": 2}}, "a"]}"#, r#"{"b":2}"#);
    Merge = builtin("merge", exactly(2))
        .takes(&[MERGED]).gives(RECORD).visit(MAKER)
        .work(MAKE, "1 per member of both, and the units of each key; for each member of b as `put`, where b \
            is so much smaller that this is less")
        .own(&[RECORD_A], RECORD_A)
        .syntax(r#"{"merge": [a, b]}"#)
        .doc("All members of both, those of a first; b's values win. Null, booleans, numbers and \
            the empty text have no members.")
        .details(&[NEW])
        .example(
            r#"{"merge": [{"record": {"a": 1, "b": 1}}, {"record": {"b": 2}}]}"#,
            r#"{"a":1,"b":2}"#,
        );
    Keys = builtin("keys", BARE)
        .takes(&[RECORD_OR_LIST]).gives(LIST).visit(MAKER).work(MAKE, MEMBERS)
        .own(&[Type::Of(RECORD)], TXTS)
        .syntax(r#"{"keys": record}"#)
        .doc("The keys: whole numbers ascending, then the others as they came; also of a map, the \
            elements of a set, and the indices of a list as texts.")
        .example(r#"{"keys": {"record": {"b": 1, "a": 2}}}"#, r#"["b","a"]"#);
    Values = builtin("values", BARE)
        .takes(&[RECORD_OR_LIST]).gives(LIST).visit(MAKER).work(MAKE, MEMBERS)
        .own(&[RECORD_A], LIST_A)
        .syntax(r#"{"values": record}"#)
        .doc("The values, in the order of their keys; also of a map, and the elements of a set or \
            list.")
        .example(r#"{"values": {"record": {"b": 1, "a": 2}}}"#, "[1,2]");
    Entries = builtin("entries", BARE)
        .takes(&[RECORD_OR_LIST]).gives(LIST).visit(MAKER).work(MAKE, MEMBERS)
        .own(&[RECORD_A], Type::List(&Type::Tuple(&[TXT, Type::A])))
        .syntax(r#"{"entries": record}"#)
        .doc("Lists [key, value], in the order of keys; also of a map; of a set [x, x]; of a list \
            with its indices as texts.")
        .example(r#"{"entries": {"record": {"a": 1}}}"#, r#"[["a",1]]"#);
    FromEntries = builtin("from_entries", BARE)
        .takes(&[LIST]).gives(RECORD).visit(OUTSIDE)
        .work(MAKE, "n + n·⌈log2 n⌉ of n entries, and the keys")
        .own(&[Type::List(&Type::Tuple(&[TXT, Type::A]))], RECORD_A)
        .syntax(r#"{"from_entries": list}"#)
        .doc("A record of lists [key, value], or of pairs. A key stands where it came first, with \
            its last value.")
        .example(r#"{"from_entries": {"zip": [["a", "b"], [1, 2]]}}"#, r#"{"a":1,"b":2}"#);
    Pick = builtin("pick", exactly(2))
        .takes(&[RECORD, LIST, ANY]).gives(RECORD).visit(OUTSIDE).work(OTHER, CHOSEN)
        .own(&[RECORD_A, TXTS], RECORD_A)
        .syntax(r#"{"pick": [record, [key, …]]}"#)
        .doc("The record with these keys only.")
        .details(&[NEW])
        .example(r#"{"pick": [{"record": {"a": 1, "b": 2}}, ["b", "c"]]}"#, r#"{"b":2}"#);
    Omit = builtin("omit", exactly(2))
        .takes(&[RECORD, LIST, ANY]).gives(RECORD).visit(OUTSIDE).work(OTHER, CHOSEN)
        .own(&[RECORD_A, TXTS], RECORD_A)
        .syntax(r#"{"omit": [record, [key, …]]}"#)
        .doc("The record without these keys.")
        .details(&[NEW])
        .example(r#"{"omit": [{"record": {"a": 1, "b": 2}}, ["b"]]}"#, r#"{"a":1}"#);
    Describe = builtin("describe", between(1, 1).or_bare(Bare::Read))
        .gives(RECORD).visit(OUTSIDE)
        .work(TEXT, "1 per element of a list; 1 per member of each record, and the units of its \
            key; the units of each text that is an example")
        .typed(&[Type::Deep], Type::Of(RECORD))
        .syntax(r#"{"describe": a}"#)
        .doc("Summary of a value: type, size, keys of a record or of a list's records.")
        .details(&[
            "The result is `{\"type\":…}`; of strings, lists, records, maps and sets also `size`. \
                Of a record, and of a list that has records among its elements, it gives `keys`: \
                for each of the first hundred keys `types` (sorted), `coverage` (how many of the \
                records have it) and `example`. The example is the first boolean, float, string or \
                integer of one 64-bit limb under the key, if there is one. A string is cut after \
                100 characters.",
        ])
        .example(r#"{"describe": {"range": [1, 3]}}"#, r#"{"size":2,"type":"list"}"#);
    ToMap = builtin("to_map", BARE)
        .takes(&[LIST_OR_NULL]).visit(MAKER).work(OTHER, MADE)
        .own(&[Type::List(&PAIR_AB)], Type::Of(MAP))
        .syntax(r#"{"to_map": a}"#)
        .doc("A map: values under keys of any kind, in the order in which the keys came. Of lists \
            [key, value], of a map, or of null. As a result it is a list of lists [key, value].")
        .details(&[
            "Of each list or pair the first two elements count, and what is missing is null.",
        ])
        .example(r#"{"to_map": [[1, "a"], [2, "b"], [1, "c"]]}"#, r#"[[1,"c"],[2,"b"]]"#);
    ToSet = builtin("to_set", BARE)
        .takes(&[ITERABLE]).visit(MAKER).work(OTHER, MADE)
        .own(&[Type::Iterable(&Type::A)], Type::Of(SET))
        .syntax(r#"{"to_set": a}"#)
        .doc("A set: each of the `elements` once, in the order in which they came. As a result it \
            is a list.")
        .details(&[
            "It takes whatever `elements` takes.",
        ])
        .example(r#"{"to_set": [3, 1, 3]}"#, "[3,1]");
    Lookup = builtin("lookup", between(2, 3))
        .takes(&[UNKNOWN, ANY]).visit(OUTSIDE)
        .work(LOOK_UP, "1, 1 per 8 bits of the number of keys, and the content of the key")
        .own(&[Type::Of(MAP), Type::Any, Type::Any], Type::Any)
        .syntax(r#"{"lookup": [map, key, default?]}"#)
        .doc("The value of a key of a map; the default if it is missing.")
        .example(r#"{"lookup": [{"to_map": [[1, "a"]]}, 2, "?"]}"#, r#""?""#);
    Insert = builtin("insert", between(2, 3))
        .takes(&[UNKNOWN, ANY]).visit(MAKER)
        .work(OTHER, "8, 1 per bit of the number of keys, and the content of the key")
        .own(&[Type::Of(MAP | SET), Type::Any, Type::Any], Type::Of(MAP | SET))
        .syntax(r#"{"insert": [set, x] or [map, key, x]}"#)
        .doc("The set with an element, or the map with a value under a key.")
        .example(r#"{"insert": [{"to_set": [1]}, 2]}"#, "[1,2]");
}
