//! Lists.

use crate::form::{
    BARE, Bare, LIST_OF, Shape, Taken, between, builtin, control, elementwise, exactly, operation,
};
use crate::kinds::{
    ANY, BOOLEAN, FUNCTION, ITERABLE, LIST, NUMBER, PAIR_OR_LIST, STRING, STRING_OR_LIST, VALUE,
};
use crate::prices::{COMPARE, COPY, LIGHT, MAKE, OTHER, OUTSIDE, STEP, UNFOLDED};
use crate::typing::{
    BOOL, FLT, GATHERED, INT, KEY, LIST_A, NUM, NUMS, SIZED, SOME_A, TEST, TXT, Type,
};

const SORTED: &str = "n of n keys, their weight, and ⌈log2 n⌉·(n + weight)";
const EXTREME: &str = "n of n keys, and their weight";
const GROUPED: &str = "4·n of n keys, and their content";
const EACH: &str = "1 per element";
const SUMMED: &str = "1 per element, and their weight";
const RANKED: &str = "as `sum`, and ⌈log2 n⌉·(n + weight) of n numbers";
const TAKEN: &str = "1 per element taken or dropped";
const KEYLESS: &str = "Elements whose key is null are skipped, as `max` and `min` skip null. With no other key it is \
        `empty-list`.";
const EXACT: &str = "The result is exact whatever the order of the numbers, and rounded to the nearest float once, \
        at the end. A sum of integers alone is an integer. With any float among them it is a \
        float. Only the result must not be too large, or beyond all floats. So `sum` of 0.1 ten \
        times is `1.0`, while a `fold` with `add` rounds ten times and gives `0.9999999999999999`. \
        Of nothing but nulls `mean`, `median` and `percentile` are `empty-list`.";

rows! { $ lists:
    Nil = control("nil", Shape::Ignored)
        .original(18).gives(LIST)
        .own(&[], Type::Of(LIST))
        .syntax(r#"{"nil": true}"#)
        .doc("The empty list, like [].")
        .example(r#"{"nil": true}"#, "[]");
    Cons = operation("cons", Shape::Members(&["head", "tail"]))
        .original(19).takes(&[ANY, LIST, ANY]).gives(LIST)
        .own(&[Type::A, LIST_A], LIST_A)
        .syntax(r#"{"cons": {"head": h, "tail": l}}"#)
        .doc("The list `l` with `h` put before it.")
        .example(r#"{"cons": {"head": 1, "tail": [2, 3]}}"#, "[1,2,3]");
    Head = operation("head", BARE)
        .original(20).takes(&[LIST])
        .own(&[LIST_A], Type::A)
        .syntax(r#"{"head": l}"#)
        .doc("First element of a list.")
        .example(r#"{"head": [1, 2]}"#, "1");
    Tail = operation("tail", BARE)
        .original(21).takes(&[LIST]).gives(LIST)
        .own(&[LIST_A], LIST_A)
        .syntax(r#"{"tail": l}"#)
        .doc("All elements but the first.")
        .example(r#"{"tail": [1, 2]}"#, "[2]");
    IsEmpty = operation("isEmpty", BARE)
        .original(22).takes(&[LIST]).gives(BOOLEAN)
        .typed(&[GATHERED], BOOL)
        .syntax(r#"{"isEmpty": l}"#)
        .doc("Whether a list, a map or a set has no elements.")
        .example(r#"{"isEmpty": []}"#, "true");
    Length = operation("length", BARE)
        .original(23).takes(&[STRING_OR_LIST]).gives(NUMBER).visit(LIGHT)
        .work(STEP, "of a list, 1 per element")
        .typed(&[SIZED], INT)
        .syntax(r#"{"length": l}"#)
        .doc("Elements of a list or set, keys of a map, or characters (code points) of a text.")
        .details(&[
            "Of a string it counts code points.",
        ])
        .example(r#"{"length": "häh"}"#, "3");
    Fold = control("fold", exactly(3))
        .original(30).takes(&[FUNCTION, VALUE, LIST, ANY]).application(UNFOLDED).callback(1)
        .subject(2)
        .own(&[Type::Function(&[Type::Tuple(&[Type::B, Type::A])], &Type::B), Type::B, LIST_A], Type::B)
        .syntax(r#"{"fold": [f, init, list]}"#)
        .doc("Reduces a list from the left: `f` gets one pair (accumulator, item).")
        .details(&[
            "The function gets one pair, never two arguments.",
        ])
        .example(
            r#"{"fold": [{"lam": "p", "body": {"add": [{"fst": {"var": "p"}}, {"snd": {"var": "p"}}]}}, 0, [1, 2, 3]]}"#,
            "6",
        );
    Reduce = control("reduce", exactly(3))
        .takes(&[FUNCTION, VALUE, LIST, ANY]).application(UNFOLDED).callback(2).subject(2)
        .own(&[Type::Function(&[Type::B, Type::A], &Type::B), Type::B, LIST_A], Type::B)
        .syntax(r#"{"reduce": [f, init, list]}"#)
        .doc("Reduces a list from the left: `f` gets the accumulator and the item, as two \
            arguments.")
        .example(
            r#"{"reduce": [{"lam": ["sum", "x"], "body": {"add": [{"var": "sum"}, {"var": "x"}]}}, 0, [1, 2, 3]]}"#,
            "6",
        );
    Map = elementwise("map", exactly(2), Taken::Push)
        .takes(&[FUNCTION, LIST, ANY]).gives(LIST).visit(OUTSIDE).indexed()
        .typed(&[KEY, LIST_A], Type::List(&Type::B))
        .syntax(r#"{"map": [f, list]}"#)
        .doc("Applies f to each element.")
        .example(
            r#"{"map": [{"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}, [1, 2, 3]]}"#,
            "[1,4,9]",
        );
    FlatMap = elementwise("flat_map", exactly(2), Taken::Next)
        .takes(&[FUNCTION, LIST, ANY]).gives(LIST).visit(OUTSIDE).indexed()
        .work(MAKE, "1 per element of each list that the function gives, 1 for another value")
        .own(
            &[Type::Function(&[Type::A], &Type::Or(&[Type::List(&Type::B), Type::B])), LIST_A],
            Type::List(&Type::B),
        )
        .syntax(r#"{"flat_map": [f, list]}"#)
        .doc("Joins the lists that f returns for the elements; another value is an element.")
        .details(&[
            "The function may give a value that is no list.",
        ])
        .example(
            r#"{"flat_map": [{"lam": "x", "body": [{"var": "x"}, {"var": "x"}]}, [1, 2]]}"#,
            "[1,1,2,2]",
        );
    Filter = elementwise("filter", exactly(2), Taken::Select)
        .takes(&[FUNCTION, LIST, ANY]).gives(LIST).visit(OUTSIDE).indexed()
        .own(&[TEST, LIST_A], LIST_A)
        .syntax(r#"{"filter": [f, list]}"#)
        .doc("The elements for which f is true.")
        .example(
            r#"{"filter": [{"lam": "x", "body": {"gt": [{"var": "x"}, 1]}}, [1, 2, 3]]}"#,
            "[2,3]",
        );
    Find = elementwise("find", exactly(2), Taken::Next)
        .takes(&[FUNCTION, LIST, ANY]).visit(OUTSIDE).indexed()
        .own(&[TEST, LIST_A], Type::Maybe(&Type::A))
        .syntax(r#"{"find": [f, list]}"#)
        .doc("The first element for which f is true, or null.")
        .example(r#"{"find": [{"lam": "x", "body": {"gt": [{"var": "x"}, 1]}}, [1, 2, 3]]}"#, "2");
    Any = elementwise("any", exactly(2), Taken::Next)
        .takes(&[FUNCTION, LIST, ANY]).gives(BOOLEAN).visit(OUTSIDE).indexed()
        .typed(&[TEST, SOME_A], BOOL)
        .syntax(r#"{"any": [f, list]}"#)
        .doc("Whether f is true for any element.")
        .example(
            r#"{"any": [{"lam": "x", "body": {"gt": [{"var": "x"}, 2]}}, [1, 2, 3]]}"#,
            "true",
        );
    All = elementwise("all", exactly(2), Taken::Next)
        .takes(&[FUNCTION, LIST, ANY]).gives(BOOLEAN).visit(OUTSIDE).indexed()
        .typed(&[TEST, SOME_A], BOOL)
        .syntax(r#"{"all": [f, list]}"#)
        .doc("Whether f is true for all elements.")
        .example(
            r#"{"all": [{"lam": "x", "body": {"gt": [{"var": "x"}, 2]}}, [1, 2, 3]]}"#,
            "false",
        );
    SortBy = elementwise("sort_by", between(2, 3), Taken::Push)
        .takes(&[FUNCTION, LIST, STRING, ANY]).gives(LIST).visit(OUTSIDE).work(COMPARE, SORTED)
        .typed(&[KEY, LIST_A, TXT], LIST_A)
        .syntax(r#"{"sort_by": [f, list, order?]}"#)
        .doc("Sorted by the keys f returns: numbers, texts, booleans, lists of these; null first. \
            Order \"asc\" or \"desc\". Stable.")
        .example(
            r#"{"sort_by": [{"lam": "s", "body": {"length": {"var": "s"}}}, ["ccc", "a", "bb"]]}"#,
            r#"["a","bb","ccc"]"#,
        );
    GroupBy = elementwise("group_by", exactly(2), Taken::Push)
        .takes(&[FUNCTION, LIST, ANY]).gives(LIST).visit(OUTSIDE).work(OTHER, GROUPED)
        .typed(&[KEY, LIST_A], Type::List(&Type::Tuple(&[Type::B, SOME_A])))
        .syntax(r#"{"group_by": [f, list]}"#)
        .doc("Lists [key, elements], keys as they first occur.")
        .example(
            r#"{"group_by": [{"lam": "n", "body": {"mod": [{"var": "n"}, 2]}}, [1, 2, 3]]}"#,
            "[[1,[1,3]],[0,[2]]]",
        );
    CountBy = elementwise("count_by", exactly(2), Taken::Push)
        .takes(&[FUNCTION, LIST, ANY]).gives(LIST).visit(OUTSIDE).work(OTHER, GROUPED)
        .typed(&[KEY, LIST_A], Type::List(&Type::Tuple(&[Type::Some(&Type::B), INT])))
        .syntax(r#"{"count_by": [f, list]}"#)
        .doc("Lists [key, count], keys as they first occur.")
        .example(
            r#"{"count_by": [{"lam": "n", "body": {"mod": [{"var": "n"}, 2]}}, [1, 2, 3]]}"#,
            "[[1,2],[0,1]]",
        );
    DistinctBy = elementwise("distinct_by", exactly(2), Taken::Push)
        .takes(&[FUNCTION, LIST, ANY]).gives(LIST).visit(OUTSIDE).work(OTHER, GROUPED)
        .typed(&[KEY, LIST_A], SOME_A)
        .syntax(r#"{"distinct_by": [f, list]}"#)
        .doc("The first element for each key.")
        .example(
            r#"{"distinct_by": [{"lam": "n", "body": {"mod": [{"var": "n"}, 2]}}, [1, 2, 3]]}"#,
            "[1,2]",
        );
    MaxBy = elementwise("max_by", exactly(2), Taken::Push)
        .takes(&[FUNCTION, LIST, ANY]).visit(OUTSIDE).work(OTHER, EXTREME)
        .typed(&[KEY, LIST_A], Type::Some(&Type::A))
        .syntax(r#"{"max_by": [f, list]}"#)
        .doc("The first element with the greatest key; null keys are skipped.")
        .details(&[KEYLESS])
        .example(
            r#"{"max_by": [{"lam": "s", "body": {"length": {"var": "s"}}}, ["a", "ccc", "bb"]]}"#,
            r#""ccc""#,
        );
    MinBy = elementwise("min_by", exactly(2), Taken::Push)
        .takes(&[FUNCTION, LIST, ANY]).visit(OUTSIDE).work(OTHER, EXTREME)
        .typed(&[KEY, LIST_A], Type::Some(&Type::A))
        .syntax(r#"{"min_by": [f, list]}"#)
        .doc("The first element with the least key; null keys are skipped.")
        .details(&[KEYLESS])
        .example(
            r#"{"min_by": [{"lam": "s", "body": {"length": {"var": "s"}}}, ["bb", "a", "ccc"]]}"#,
            r#""a""#,
        );
    Partition = elementwise("partition", exactly(2), Taken::Next)
        .takes(&[FUNCTION, LIST, ANY]).gives(LIST).visit(OUTSIDE)
        .typed(&[TEST, LIST_A], Type::Tuple(&[SOME_A, SOME_A]))
        .syntax(r#"{"partition": [f, list]}"#)
        .doc("A list of two: the elements for which f is true, and the others.")
        .example(
            r#"{"partition": [{"lam": "x", "body": {"gt": [{"var": "x"}, 1]}}, [1, 2, 3]]}"#,
            "[[2,3],[1]]",
        );
    Sort = builtin("sort", LIST_OF)
        .takes(&[LIST]).gives(LIST).visit(OUTSIDE).work(COMPARE, SORTED)
        .typed(&[LIST_A], LIST_A)
        .syntax(r#"{"sort": l}"#)
        .doc("Sorted: numbers, texts, booleans, or lists of these; null first. Stable.")
        .example(r#"{"sort": [3, 1, 2]}"#, "[1,2,3]");
    Reverse = builtin("reverse", LIST_OF)
        .takes(&[LIST]).gives(LIST).visit(OUTSIDE).work(COPY, EACH)
        .typed(&[LIST_A], LIST_A)
        .syntax(r#"{"reverse": l}"#)
        .doc("The list in reverse.")
        .example(r#"{"reverse": [1, 2, 3]}"#, "[3,2,1]");
    Distinct = builtin("distinct", LIST_OF)
        .takes(&[LIST]).gives(LIST).visit(OUTSIDE).work(OTHER, GROUPED)
        .typed(&[LIST_A], SOME_A)
        .syntax(r#"{"distinct": l}"#)
        .doc("Each element once, as they first occur.")
        .example(r#"{"distinct": [1, 2, 1]}"#, "[1,2]");
    Flatten = builtin("flatten", between(1, 2).or_bare(Bare::List))
        .takes(&[LIST, NUMBER]).gives(LIST).visit(OUTSIDE)
        .work(COPY, "1 per element, and 1 per element of each list that becomes a part")
        .own(&[Type::Of(LIST), INT], Type::Of(LIST))
        .syntax(r#"{"flatten": l} or {"flatten": [l, depth]}"#)
        .doc("Lists within a list become parts of it, to a depth, which is a literal: 1 unless it \
            is given. Other elements stay.")
        .details(&[
            "As `flat` of JavaScript. The depth is a literal number, whose fraction does not \
                count: `{\"flatten\": [l, 2]}`. A literal array of two is a list and a depth only \
                if the second is such a number; write `{\"flatten\": [[[1], 2]]}` for the list of \
                these two.",
        ])
        .example(r#"{"flatten": [[1], [2, 3]]}"#, "[1,2,3]");
    Sum = builtin("sum", LIST_OF)
        .takes(&[LIST]).gives(NUMBER).visit(OUTSIDE).work(MAKE, SUMMED)
        .typed(&[NUMS], Type::Numeric)
        .syntax(r#"{"sum": l}"#)
        .doc("Exact sum of the numbers; floats are rounded once, nulls skipped.")
        .details(&[EXACT])
        .example(r#"{"sum": [1, null, 2]}"#, "3");
    Product = builtin("product", LIST_OF)
        .takes(&[LIST]).gives(NUMBER).visit(OUTSIDE)
        .work(OTHER, "as `sum`; for each factor from the left, the first multiplied with 1, the \
            product of the numbers of limbs where one is big")
        .typed(&[NUMS], Type::Numeric)
        .syntax(r#"{"product": l}"#)
        .doc("Product of the numbers; nulls are skipped.")
        .details(&[
            "It gives the value that `mul` from the left would give.",
        ])
        .example(r#"{"product": [2, 3, 4]}"#, "24");
    Mean = builtin("mean", LIST_OF)
        .takes(&[LIST]).gives(NUMBER).visit(OUTSIDE).work(MAKE, SUMMED)
        .typed(&[NUMS], FLT)
        .syntax(r#"{"mean": l}"#)
        .doc("Exact mean of the numbers, rounded to a float once; nulls are skipped.")
        .details(&[EXACT])
        .example(r#"{"mean": [1, 2]}"#, "1.5");
    Median = builtin("median", LIST_OF)
        .takes(&[LIST]).gives(NUMBER).visit(OUTSIDE).work(COMPARE, RANKED)
        .typed(&[NUMS], FLT)
        .syntax(r#"{"median": l}"#)
        .doc("Median of the numbers, a float; nulls are skipped.")
        .details(&[EXACT])
        .example(r#"{"median": [5, 1, 3]}"#, "3.0");
    Last = builtin("last", LIST_OF)
        .takes(&[LIST]).visit(OUTSIDE).work(COPY, EACH)
        .own(&[LIST_A], Type::A)
        .syntax(r#"{"last": l}"#)
        .doc("The last element.")
        .example(r#"{"last": [1, 2, 3]}"#, "3");
    Enumerate = builtin("enumerate", LIST_OF)
        .takes(&[LIST]).gives(LIST).visit(OUTSIDE).work(MAKE, EACH)
        .typed(&[LIST_A], Type::List(&Type::Tuple(&[INT, Type::A])))
        .syntax(r#"{"enumerate": l}"#)
        .doc("Lists [index, element], from 0.")
        .example(r#"{"enumerate": ["a", "b"]}"#, r#"[[0,"a"],[1,"b"]]"#);
    Append = builtin("append", exactly(2))
        .takes(&[ITERABLE]).gives(LIST).visit(OUTSIDE)
        .work(COPY, "1 per element of the first list; as `elements` for what is no list")
        .own(&[Type::Iterable(&Type::A)], LIST_A)
        .syntax(r#"{"append": [a, b]}"#)
        .doc("Two lists joined; another operand counts as its `elements`.")
        .details(&[
            "It shares its second list with the result. On each side it takes whatever `elements` \
                takes.",
        ])
        .example(r#"{"append": [[1], [2, 3]]}"#, "[1,2,3]");
    Nth = builtin("nth", exactly(2))
        .takes(&[PAIR_OR_LIST, NUMBER, ANY]).visit(OUTSIDE)
        .work(STEP, "1 per element up to that one")
        .own(&[Type::Or(&[LIST_A, Type::Tuple(&[Type::A, Type::A])]), INT], Type::A)
        .syntax(r#"{"nth": [list, i]}"#)
        .doc("The element at an index, from 0; also of a pair.")
        .example(r#"{"nth": [["a", "b"], 1]}"#, r#""b""#);
    Take = builtin("take", exactly(2))
        .takes(&[LIST, NUMBER, ANY]).gives(LIST).visit(OUTSIDE).work(COPY, TAKEN)
        .typed(&[LIST_A, NUM], SOME_A)
        .syntax(r#"{"take": [list, n]}"#)
        .doc("The first n elements.")
        .example(r#"{"take": [[1, 2, 3], 2]}"#, "[1,2]");
    Drop = builtin("drop", exactly(2))
        .takes(&[LIST, NUMBER, ANY]).gives(LIST).visit(OUTSIDE).work(STEP, TAKEN)
        .typed(&[LIST_A, NUM], SOME_A)
        .syntax(r#"{"drop": [list, n]}"#)
        .doc("All but the first n elements.")
        .details(&[
            "It shares the rest of its list with the result.",
        ])
        .example(r#"{"drop": [[1, 2, 3], 2]}"#, "[3]");
    Range = builtin("range", between(2, 3))
        .takes(&[NUMBER]).gives(LIST).visit(OUTSIDE)
        .work(MAKE, "1 per element; with a big operand, the limbs of the longest one per element, \
            and at least once")
        .typed(&[NUM], Type::List(&INT))
        .syntax(r#"{"range": [from, to, step?]}"#)
        .doc("Integers from `from` on, `to` excluded.")
        .example(r#"{"range": [0, 6, 2]}"#, "[0,2,4]");
    Zip = builtin("zip", exactly(2))
        .takes(&[LIST]).gives(LIST).visit(OUTSIDE).work(MAKE, "1 per list of two")
        .typed(
            &[LIST_A, Type::List(&Type::B)],
            Type::List(&Type::Tuple(&[Type::Some(&Type::A), Type::Some(&Type::B)])),
        )
        .syntax(r#"{"zip": [a, b]}"#)
        .doc("Lists of two: the elements at one place of both lists, up to the shorter length.")
        .example(r#"{"zip": [[1, 2], ["a", "b", "c"]]}"#, r#"[[1,"a"],[2,"b"]]"#);
    Chunk = builtin("chunk", exactly(2))
        .takes(&[LIST, NUMBER, ANY]).gives(LIST).visit(OUTSIDE).work(MAKE, EACH)
        .typed(&[LIST_A, NUM], Type::List(&LIST_A))
        .syntax(r#"{"chunk": [list, n]}"#)
        .doc("Lists of n elements each; the last may have fewer.")
        .example(r#"{"chunk": [[1, 2, 3], 2]}"#, "[[1,2],[3]]");
    Percentile = builtin("percentile", exactly(2))
        .takes(&[LIST, NUMBER, ANY]).gives(NUMBER).visit(OUTSIDE).work(COMPARE, RANKED)
        .typed(&[NUMS, NUM], FLT)
        .syntax(r#"{"percentile": [list, p]}"#)
        .doc("The value at p percent (0–100) of the sorted numbers, interpolated; a float.")
        .details(&[EXACT])
        .example(r#"{"percentile": [[1, 2, 3, 4], 50]}"#, "2.5");
    SortWith = elementwise("sort_with", exactly(2), Taken::Next)
        .takes(&[FUNCTION, LIST, ANY]).gives(LIST).visit(OUTSIDE).callback(2)
        .work(COMPARE, "n + n·⌈log2 n⌉ of n elements")
        .typed(
            &[Type::Function(&[Type::Some(&Type::A), Type::Some(&Type::A)],
            &Type::Of(NUMBER | BOOLEAN)), LIST_A], LIST_A,
        )
        .syntax(r#"{"sort_with": [f, list]}"#)
        .doc("Sorts by a function of two elements that gives a number: negative if the first comes \
            first. Equal elements keep their order. True counts as 1, false as 0.")
        .details(&[
            "It is a merge sort. Runs of 1, 2, 4, … elements are merged, each with the one after \
                it, from left to right. The function gets the first element left of both; above 0, \
                the second run's comes first. A value that is neither a number nor a boolean is \
                `type-mismatch`. A list of less than two elements needs no function call.",
        ])
        .example(
            r#"{"sort_with": [{"lam": ["a", "b"], "body": {"sub": [{"var": "b"}, {"var": "a"}]}}, [1, 3, 2]]}"#,
            "[3,2,1]",
        );
    Elements = builtin("elements", BARE)
        .takes(&[ITERABLE]).gives(LIST).visit(OUTSIDE)
        .work(MAKE, "of a text its units and 1 per character; of a map or set 4 per key")
        .typed(&[Type::Iterable(&Type::A)], LIST_A)
        .syntax(r#"{"elements": a}"#)
        .doc("The elements of a list, a set or a map, the characters of a text, as a list; of null \
            none.")
        .details(&[
            "A list gives itself, a text its characters, a set its elements, a map lists `[key, \
                value]`, and null nothing. Any other value is `type-mismatch`.",
        ])
        .example(r#"{"elements": "abc"}"#, r#"["a","b","c"]"#);
}
