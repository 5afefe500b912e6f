//! What people and models write out of habit from other languages where nothing of that name can
//! stand, and words of JavaScript that nothing here stands for.

use crate::mistakes::{FALSE, Habit, NOTHING, PRINT, TRUE};

const fn habit(words: &'static str, message: &'static str, hint: &'static str) -> Habit {
    Habit { words, message, hint }
}

/// Words of JavaScript that are refused.
pub(super) const REFUSED: &[Habit] = &[
    habit(
        "class extends super enum",
        "there are no classes and no objects but records",
        "write a record {name: \"a\", count: 1}, and functions of it: area = s => s.w * s.h",
    ),
    habit(
        "this",
        "there is no object that a function belongs to",
        "give the record to the function: const area = s => s.w * s.h",
    ),
    habit("yield", "there are no generators", "write a list: range(5).map(i => i * 2)"),
    habit("with", "names are bound by const", "write const {a, b} = r"),
    habit("eval", "a text is not run", "write the term itself, or JSON.parse(s) of data"),
    habit("Symbol", "there are no symbols", "write a text as a key: {name: 1}"),
    habit(
        "import require from",
        "nothing is imported",
        "leave the line out: a tool is called @name(x), a form by its name",
    ),
    habit(
        "export",
        "a program has one value",
        "leave the word out, and write the value as the last statement",
    ),
];

/// Words and marks that stand where an operand is missing.
pub(super) const BEFORE: &[Habit] = &[
    habit(
        "for",
        "a loop is a statement of its own",
        "write xs.map(x => x + 1), xs.filter(x => x > 1), or for (const x of xs) { … }",
    ),
    habit(
        "while do",
        "a loop is a statement of its own",
        "write while (i < n) { … }, or xs.reduce((sum, x) => sum + x, 0)",
    ),
    habit("break continue", "it is a statement of a loop", "write xs.find(x => x > 1)"),
    habit(
        "catch finally",
        "it stands behind the block of `try`",
        "write try { … } catch (e) { … }",
    ),
    habit("throw", "it is a statement", "write fail(\"no stock\") within an expression"),
    habit(
        "switch case default",
        "a switch is a statement",
        "write switch (x) { case 1: … }, or cond([x < 1, \"a\"], [true, \"b\"])",
    ),
    habit("try", "it is a statement", "write try(t, e => e.message) within an expression"),
    habit("else", "`if` stands before it", "write a > 1 ? b : c, or if (a > 1) b else c"),
    habit(
        "const let var return",
        "it begins a statement, and no value",
        "write it at the beginning, or in braces after an arrow: x => { const y = x + 1; return y; }",
    ),
    habit("in instanceof", "a value is missing before it", "write \"k\" in r, xs.includes(x)"),
    habit("|>", "a value is missing before it", "write x |> f"),
    habit("->", "the arrow is =>", "write x => x + 1"),
    habit("= :=", "a name is missing before it", "write const a = 1; a + 1, or a == b to compare"),
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
        ",",
        "a comma stands between the parts of a list, a record or a call",
        "write [a, b] for a list of two",
    ),
    habit(";", "an expression is missing before `;`", "write const x = 1; x + 1"),
];

/// Words and marks that stand after an operand, and do not go on with it.
pub(super) const AFTER: &[Habit] = &[
    habit(
        "for foreach",
        "a loop is a statement of its own",
        "write xs.map(x => x + 1), xs.filter(x => x > 1), or for (const x of xs) { … }",
    ),
    habit(
        "while until loop",
        "a loop is a statement of its own",
        "write while (i < n) { … }, or xs.reduce((sum, x) => sum + x, 0)",
    ),
    habit("func fn fun", "a function has an arrow", "write x => x + 1 or (x, y) => x + y"),
    habit(
        "def defun define",
        "a function has an arrow, and a name by const",
        "write const f = x => x + 1; f(2)",
    ),
    habit("lambda λ lam", "a function has an arrow", "write x => x + 1"),
    habit("->", "the arrow is =>", "write x => x + 1"),
    habit("async", "it stands before a function", "write async x => x, or leave the word out"),
    habit(
        "catch except finally",
        "the handler stands behind the block of `try`",
        "write try { … } catch (e) { … }, or try(t, e => e.message)",
    ),
    habit("raise", "a fault of your own is made by throw", "write throw new Error(\"no stock\")"),
    habit(
        "match when case",
        "the word is `switch`",
        "write switch (x) { case 1: … }, or cond([x < 1, \"a\"], [true, \"b\"])",
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
    habit("not", "the operator is !", "write !a, or !xs.includes(x)"),
    habit("xor", "there is no such operator", "write a != b of two booleans"),
    habit("is isnt", "equality is ==", "write a == b"),
    habit("of", "`of` stands in the head of a loop", "write for (const x of xs) { … }"),
    habit("as satisfies", "a value has no type", "leave the type out: const x = f(1)"),
    habit("interface type namespace", "there are no types", "leave the types out"),
    habit("del unset", "the word is `delete`", "write delete r.k of a local, or r.remove(\"k\")"),
    habit("goto pass", "a program is an expression: it has a value", "write the value itself"),
    habit(
        "require from use include",
        "nothing is imported",
        "a tool is called @name(x), a form by its name",
    ),
    PRINT,
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
    NOTHING,
    TRUE,
    FALSE,
    habit(":=", "`const` binds a name", "write const a = 1; a + 1"),
    habit("=", "`const` binds a name", "write const a = 1; a + 1, or a == b to compare"),
    habit(
        "<> =~ ~/ <=>",
        "this operator does not exist",
        "write a != b, matches(s, \"[0-9]+\") or a < b",
    ),
    habit("!", "the operator is !=", "write a != b"),
    habit(
        ":: :",
        "`:` stands between a key and its value, or after `?`",
        "write r.k for a member, c ? a : b for a choice",
    ),
    habit("..", "a range has no dots", "write range(1, 5)"),
    habit("@", "`@` stands before the name of a tool", "write @name(x) or @\"name\"(x)"),
    habit("...", "`...` stands in a list, a record or a call", "write [...xs, 1] or {...r, k: 1}"),
    habit(
        "=>",
        "the arrow stands after names",
        "write x => x + 1 or (x, y) => x + y, in parentheses after an operator",
    ),
    habit("|>", "a function before `|>` stands in parentheses", "write x |> f"),
];
