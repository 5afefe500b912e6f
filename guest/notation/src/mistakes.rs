//! What people and models write out of habit from other languages, and what to write instead.

use pif_core::text::words;

/// A habit of another language: its spelling, the reason why it is refused, and the spelling here.
#[derive(Debug)]
pub(crate) struct Habit {
    /// With blanks between them.
    pub(crate) words: &'static str,
    pub(crate) message: &'static str,
    pub(crate) hint: &'static str,
}

const fn habit(words: &'static str, message: &'static str, hint: &'static str) -> Habit {
    Habit { words, message, hint }
}

/// Words and marks that stand where nothing of that name can stand, before an operand or after it.
pub(crate) const HABITS: &[Habit] = &[
    habit(
        "for foreach forEach",
        "there are no loops",
        "write xs.map(x => x + 1), xs.filter(x => x > 1) or xs.reduce((sum, x) => sum + x, 0)",
    ),
    habit(
        "while do until loop",
        "there are no loops",
        "write xs.reduce((sum, x) => sum + x, 0), or a function that calls itself: n => n < 2 ? 1 : n * self(n - 1)",
    ),
    habit("break", "there are no loops to leave", "write xs.find(x => x > 1)"),
    habit("function func fn fun", "a function has an arrow", "write x => x + 1 or (x, y) => x + y"),
    habit(
        "def defun define",
        "a function has an arrow, and a name by const",
        "write const f = x => x + 1; f(2)",
    ),
    habit("lambda λ lam", "a function has an arrow", "write x => x + 1"),
    habit("->", "the arrow is =>", "write x => x + 1"),
    habit(
        "class new extends this",
        "there are no classes and no objects but records",
        "write a record {name: \"a\", count: 1}; a date is date_parse(\"2024-01-31\")",
    ),
    habit(
        "async await",
        "nothing is asynchronous",
        "leave the word out: call(\"upstream.tool\", {q: 1}) gives the value",
    ),
    habit("try", "try takes a term and a function", "write try(t, e => e.message)"),
    habit(
        "catch except finally",
        "the handler is the second operand of try",
        "write try(t, e => e.message)",
    ),
    habit("throw raise", "a fault of your own is made by fail", "write fail(\"no stock\")"),
    habit(
        "switch case match when",
        "there is no switch",
        "write cond([x < 1, \"a\"], [true, \"b\"])",
    ),
    habit("elif elsif elseif", "the word is `else if`", "write if (a) 1 else if (b) 2 else 3"),
    habit(
        "then unless end begin",
        "`if` has no `then` and no `end`",
        "write a > 1 ? b : c, or if (a > 1) b else c",
    ),
    habit(
        "if else",
        "the condition of `if` comes first",
        "write a > 1 ? b : c, or if (a > 1) b else c",
    ),
    habit("and", "the operator is &&", "write a && b"),
    habit("or", "the operator is ||", "write a || b"),
    habit("not", "the operator is !", "write !a"),
    habit(
        "xor ^",
        "there are no operators for bits",
        "write a != b of two booleans, a ** b for a power",
    ),
    habit(
        "& | ~ << >> >>>",
        "there are no operators for bits",
        "write a && b, a || b; or x |> f to pass a value on",
    ),
    habit("is isnt", "equality is ==", "write a == b"),
    habit("in", "`in` is no operator", "write xs.contains(x) of a list, r.has(\"k\") of a record"),
    habit("of", "there are no loops", "write xs.map(x => x + 1)"),
    habit("instanceof typeof type", "type_of tells the type", "write type_of(x) == \"string\""),
    habit("delete del unset", "values never change", "write r.remove(\"k\")"),
    habit(
        "void yield goto pass",
        "a program is an expression: it has a value",
        "write the value itself",
    ),
    habit(
        "import require from use include export",
        "nothing is imported",
        "a tool is called @name(x), a form by its name",
    ),
    habit(
        "print console.log puts println echo alert",
        "nothing is printed: the value is the result",
        "write trace(\"label\", x), which gives x",
    ),
    habit(
        "SELECT select Select FROM WHERE",
        "this is no SQL",
        "write data.filter(r => r.qty > 1).map(r => r.name)",
    ),
    habit(
        "ORDER GROUP HAVING LIMIT JOIN",
        "this is no SQL",
        "write xs.sort_by(r => r.name), xs.group_by(r => r.name), xs.take(10)",
    ),
    habit(
        "None nil Nil NULL Null nullptr none NaN Infinity",
        "the word for nothing is null",
        "write null",
    ),
    habit("True TRUE yes", "the word is true", "write true"),
    habit("False FALSE no", "the word is false", "write false"),
    habit(
        "= <-",
        "values never change; `const` binds a name",
        "write const a = 1; a + 1, or a == b to compare",
    ),
    habit(":=", "`const` binds a name", "write const a = 1; a + 1"),
    habit(
        "+= -= *= /= %= **= ++ -- ??= ||= &&= |= &= <<= >>= >>>=",
        "values never change",
        "write a + 1 and bind it to another name: const b = a + 1; b",
    ),
    habit(
        "<> =~ ~/ !! <=>",
        "this operator does not exist",
        "write a != b, matches(s, \"[0-9]+\") or !(!a)",
    ),
    habit(
        ":: :",
        "`:` stands between a key and its value, or after `?`",
        "write r.k for a member, c ? a : b for a choice",
    ),
    habit("..", "a range has no dots", "write range(1, 5)"),
    habit("?", "`?` stands after a condition", "write c ? a : b"),
    habit("@", "`@` stands before the name of a tool", "write @name(x) or @\"name\"(x)"),
    habit(".", "`.` stands after a record or a list", "write x => x.name, or data.name"),
    habit("?.", "`?.` stands after a record", "write r?.name"),
    habit("...", "`...` stands in a list, a record or a call", "write [...xs, 1] or {...r, k: 1}"),
    habit("=>", "the arrow stands after names", "write x => x + 1 or (x, y) => x + y"),
    habit(
        "+",
        "a number has no sign `+`",
        "leave it out; a number is made of a text by parse_float(s)",
    ),
    habit(
        ",",
        "a comma stands between the parts of a list, a record or a call",
        "write [a, b] for a list of two",
    ),
    habit(";", "an expression is missing before `;`", "write const x = 1; x + 1"),
];

/// Names that are called as functions, or as members, and have no form.
pub(crate) const CALLS: &[Habit] = &[
    habit("push append_to add_to unshift insert", "values never change", "write [...xs, 1]"),
    habit("pop", "values never change", "write xs.last(), and xs.slice(0, -1) for the others"),
    habit("shift", "values never change", "write xs.head(), and xs.tail() for the others"),
    habit("splice", "values never change", "write [...xs.take(1), ...xs.drop(2)]"),
    habit("forEach each", "a loop without a value does nothing", "write xs.map(x => x + 1)"),
    habit("set assign", "values never change", "write {...r, k: 1}"),
    habit(
        "Date now today Date.now Math.random random",
        "a run has no clock and no random numbers",
        "pass the value as data: data.now; a text is read by date_parse(\"2024-01-31\")",
    ),
    habit(
        "fetch open readFile require exec",
        "a run reaches no network and no files",
        "pass the value as data, or write call(\"upstream.tool\", {q: 1})",
    ),
    habit(
        "match search test RegExp re.findall re.match re.sub",
        "patterns are texts",
        "write s.matches(\"[0-9]+\"), s.find_all(\"[0-9]+\") or s.captures(\"([0-9]+)\")",
    ),
    habit("charAt", "slice takes characters from a text", "write s.slice(0, 1)"),
    habit(
        "charCodeAt codePointAt ord",
        "char_code gives the code of a character",
        "write s.char_code()",
    ),
    habit("chr", "from_char_code makes a character", "write from_char_code(65)"),
    habit("format sprintf printf", "a template makes a text", "write `${a}: ${b}`"),
    habit("Object.groupBy groupby", "group_by groups elements", "write xs.group_by(x => x.name)"),
    habit("list Array.from Array array tuple", "brackets make a list", "write [1, 2]"),
    habit(
        "dict Map Set Object object",
        "braces make a record",
        "write {name: 1}, or xs.distinct() for a set",
    ),
    habit("Boolean bool", "a comparison makes a boolean", "write x != null"),
    habit(
        "isNaN Number.isNaN isinstance",
        "type_of tells the type",
        "write type_of(x) == \"float\"",
    ),
    habit(
        "findIndex findLast lastIndexOf reduceRight",
        "there is no such form",
        "write xs.enumerate().find(([i, x]) => x > 1), or xs.reverse() first",
    ),
    habit(
        "localeCompare compareTo cmp",
        "< and > compare texts",
        "write a < b, or xs.sort_by(x => x.name)",
    ),
    habit("items", "the members of a record are its entries", "write r.entries()"),
    habit("extend", "append joins lists", "write [...xs, ...ys]"),
    habit("curry partial bind apply", "functions are curried", "write f(a)(b)"),
    habit("super setTimeout Promise", "nothing is asynchronous", "write the value itself"),
    habit(
        "jq map_values to_entries with_entries",
        "this is no jq",
        "write r.entries().map(([k, v]) => v)",
    ),
    habit(
        "COUNT SUM AVG MAX MIN",
        "names of forms are in lower case",
        "write xs.length(), xs.sum(), xs.mean(), xs.max(), xs.min()",
    ),
    habit(
        "let letrec lam var app record",
        "this form has a notation of its own",
        "write const x = 1; x + 1, x => x + 1, f(x), {name: 1}",
    ),
    habit("if_else iif IF", "a choice is ? and :", "write a > 1 ? b : c"),
];

/// The habit that a word is of.
pub(crate) fn find(habits: &'static [Habit], word: &str) -> Option<&'static Habit> {
    habits.iter().find(|habit| words::has(habit.words, word))
}
