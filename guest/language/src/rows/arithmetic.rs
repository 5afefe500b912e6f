//! Numbers.

use crate::form::{BARE, Bare, Shape, at_least, between, builtin, exactly, literal, operation};
use crate::kinds::{ANY, BOOLEAN, NULL, NUMBER, STRING, VALUE};
use crate::prices::{MAKE, MAKER, OUTSIDE, READER, STEP, TEXT};

rows! { $ arithmetic:
    Add = operation("add", at_least(2))
        .original().takes(&[NUMBER]).gives(NUMBER).work(MAKE)
        .syntax(r#"{"add": [a, b, …]}"#)
        .doc("Sum of two or more numbers. Integers are exact, of any size.")
        .example(r#"{"add": [9223372036854775807, 1]}"#, "9223372036854775808");
    Sub = operation("sub", exactly(2))
        .original().takes(&[NUMBER]).gives(NUMBER).work(MAKE)
        .syntax(r#"{"sub": [a, b]}"#)
        .doc("Difference of two numbers.")
        .example(r#"{"sub": [10, 3]}"#, "7");
    Mul = operation("mul", at_least(2))
        .original().takes(&[NUMBER]).gives(NUMBER).work(MAKE)
        .syntax(r#"{"mul": [a, b, …]}"#)
        .doc("Product of two or more numbers.")
        .example(r#"{"mul": [6, 7]}"#, "42");
    Div = operation("div", exactly(2))
        .original().takes(&[NUMBER]).gives(NUMBER).work(MAKE)
        .syntax(r#"{"div": [a, b]}"#)
        .doc("Quotient of two numbers; of integers, rounded down.")
        .example(r#"{"div": [-7, 2]}"#, "-4");
    Mod = operation("mod", exactly(2))
        .original().takes(&[NUMBER]).gives(NUMBER).work(MAKE)
        .syntax(r#"{"mod": [a, b]}"#)
        .doc("Exact remainder, with the sign of the divisor.")
        .example(r#"{"mod": [-7, 2]}"#, "1");
    Float = literal("float", Shape::Literal)
        .gives(NUMBER)
        .syntax(r#"{"float": 3.14}"#)
        .doc("A floating-point number (IEEE double).")
        .example(r#"{"float": 3.14}"#, "3.14");
    Int = literal("int", Shape::Literal)
        .gives(NUMBER)
        .syntax(r#"{"int": "123"}"#)
        .doc("An integer as text, for clients that cannot write large ones.")
        .example(r#"{"int": "123456789012345678901234567890"}"#, "123456789012345678901234567890");
    Fdiv = builtin("fdiv", exactly(2))
        .takes(&[NUMBER]).gives(NUMBER).visit(OUTSIDE)
        .syntax(r#"{"fdiv": [a, b]}"#)
        .doc("Quotient as a float, correctly rounded.")
        .example(r#"{"fdiv": [7, 2]}"#, "3.5");
    Neg = builtin("neg", BARE)
        .takes(&[NUMBER]).gives(NUMBER).visit(OUTSIDE).work(MAKE)
        .syntax(r#"{"neg": a}"#)
        .doc("The number with the other sign.")
        .example(r#"{"neg": 5}"#, "-5");
    Abs = builtin("abs", BARE)
        .takes(&[NUMBER]).gives(NUMBER).visit(OUTSIDE).work(MAKE)
        .syntax(r#"{"abs": a}"#)
        .doc("The number without its sign.")
        .example(r#"{"abs": -5}"#, "5");
    Sqrt = builtin("sqrt", BARE)
        .takes(&[NUMBER]).gives(NUMBER).visit(OUTSIDE).work(MAKE)
        .syntax(r#"{"sqrt": a}"#)
        .doc("Square root, a float.")
        .example(r#"{"sqrt": 2}"#, "1.4142135623730951");
    Exp = builtin("exp", BARE)
        .takes(&[NUMBER]).gives(NUMBER).visit(MAKER).work(MAKE)
        .syntax(r#"{"exp": a}"#)
        .doc("e to the power of a number, a float.")
        .example(r#"{"exp": 0}"#, "1.0");
    Ln = builtin("ln", BARE)
        .takes(&[NUMBER]).gives(NUMBER).visit(MAKER).work(MAKE)
        .syntax(r#"{"ln": a}"#)
        .doc("Natural logarithm, a float.")
        .example(r#"{"ln": 1}"#, "0.0");
    Log10 = builtin("log10", BARE)
        .takes(&[NUMBER]).gives(NUMBER).visit(MAKER).work(MAKE)
        .syntax(r#"{"log10": a}"#)
        .doc("Decimal logarithm, a float.")
        .example(r#"{"log10": 1000}"#, "3.0");
    Floor = builtin("floor", BARE)
        .takes(&[NUMBER]).gives(NUMBER).visit(MAKER).work(MAKE)
        .syntax(r#"{"floor": a}"#)
        .doc("Rounds down to an integer.")
        .example(r#"{"floor": {"float": -2.5}}"#, "-3");
    Ceil = builtin("ceil", BARE)
        .takes(&[NUMBER]).gives(NUMBER).visit(MAKER).work(MAKE)
        .syntax(r#"{"ceil": a}"#)
        .doc("Rounds up to an integer.")
        .example(r#"{"ceil": {"float": 2.1}}"#, "3");
    ToInt = builtin("to_int", BARE)
        .takes(&[NUMBER]).gives(NUMBER).visit(MAKER).work(MAKE)
        .syntax(r#"{"to_int": a}"#)
        .doc("The number without its fraction, an integer.")
        .example(r#"{"to_int": {"float": -2.9}}"#, "-2");
    ToFloat = builtin("to_float", BARE)
        .takes(&[NUMBER]).gives(NUMBER).visit(OUTSIDE).work(MAKE)
        .syntax(r#"{"to_float": a}"#)
        .doc("The nearest float.")
        .example(r#"{"to_float": 2}"#, "2.0");
    Pow = builtin("pow", exactly(2))
        .takes(&[NUMBER]).gives(NUMBER).visit(READER).work(STEP)
        .syntax(r#"{"pow": [a, b]}"#)
        .doc("a to the power b; exact for integers, a float if b is negative.")
        .example(r#"{"pow": [2, 100]}"#, "1267650600228229401496703205376");
    Round = builtin("round", between(1, 2).or_bare(Bare::Read))
        .takes(&[NUMBER]).gives(NUMBER).visit(MAKER).work(MAKE)
        .syntax(r#"{"round": [a, digits?]}"#)
        .doc("Rounds half to even, to an integer or to digits after the point.")
        .example(r#"{"round": [{"float": 2.345}, 1]}"#, "2.3");
    Min = builtin("min", at_least(1).or_bare(Bare::Read))
        .gives(NUMBER).visit(MAKER)
        .syntax(r#"{"min": [a, b, …]} or {"min": l}"#)
        .doc("The least of two or more numbers, or of a list (nulls skipped).")
        .example(r#"{"min": [3, 1, 2]}"#, "1");
    Max = builtin("max", at_least(1).or_bare(Bare::Read))
        .gives(NUMBER).visit(MAKER)
        .syntax(r#"{"max": [a, b, …]} or {"max": l}"#)
        .doc("The greatest of two or more numbers, or of a list (nulls skipped).")
        .example(r#"{"let": [["l", [3, null, 7]]], "in": {"max": {"var": "l"}}}"#, "7");
    Divide = builtin("divide", between(2, 3))
        .takes(&[NUMBER, NUMBER, STRING, ANY]).gives(NUMBER).visit(MAKER).work(MAKE)
        .syntax(r#"{"divide": [a, b, mode?]}"#)
        .doc("Quotient: of two integers the exact integer if b divides a, else the nearest float. A mode rounds it once: `floor`, `ceil`, `round` (halves up), `trunc`.")
        .example(r#"{"divide": [7, 2]}"#, "3.5");
    Rem = operation("rem", exactly(2))
        .takes(&[NUMBER]).gives(NUMBER).work(MAKE)
        .syntax(r#"{"rem": [a, b]}"#)
        .doc("Remainder with the sign of a, as `%` of JavaScript.")
        .example(r#"{"rem": [-7, 3]}"#, "-1");
    Plus = operation("plus", at_least(2))
        .takes(&[ANY]).work(MAKE)
        .syntax(r#"{"plus": [a, b, …]}"#)
        .doc("Sum of numbers; where a text stands on either side, the two as one text.")
        .example(r#"{"plus": [1, 2, "a"]}"#, r#""3a""#);
    Math = builtin("math", at_least(2))
        .takes(&[STRING, NUMBER]).gives(NUMBER).visit(MAKER).work(MAKE).apart()
        .syntax(r#"{"math": [name, a, …]}"#)
        .doc("A function of JavaScript's `Math`: `sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp expm1 log log1p log2 log10 sqrt cbrt fround sign`, `atan2 pow` of two, `hypot` of any number.")
        .example(r#"{"math": ["hypot", 3, 4]}"#, "5.0");
    Bits = builtin("bits", between(2, 3))
        .takes(&[STRING, NUMBER, NUMBER, ANY]).gives(NUMBER).visit(MAKER).work(MAKE).apart()
        .syntax(r#"{"bits": [operation, a, b?]}"#)
        .doc("Bits of integers: `& | ^ ~ << >> >>> imul clz32` on 32 bits as JavaScript does, `and or xor not left right` on integers of any size.")
        .example(r#"{"bits": [">>>", -1, 28]}"#, "15");
    ToNumber = builtin("to_number", BARE)
        .takes(&[VALUE]).gives(NUMBER).visit(MAKER).work(TEXT)
        .syntax(r#"{"to_number": a}"#)
        .doc("A number of a text, boolean, null or date, as `Number` of JavaScript. Where there is none, a value that is not a number: false, equal to nothing, refused by other forms.")
        .example(r#"{"to_number": " 42 "}"#, "42");
    LeadingNumber = builtin("leading_number", between(1, 2))
        .takes(&[ANY]).gives(NUMBER).visit(MAKER).work(TEXT)
        .syntax(r#"{"leading_number": [s, radix?]}"#)
        .doc("The number that a text begins with: an integer in a radix (2 to 36; 10, or 16 after 0x), or with `float` as radix a decimal.")
        .example(r#"{"leading_number": ["12px", 10]}"#, "12");
    NumberText = builtin("number_text", between(2, 3))
        .takes(&[NUMBER, STRING, NUMBER | NULL, ANY]).gives(STRING).visit(MAKER).work(TEXT)
        .syntax(r#"{"number_text": [a, style, n?]}"#)
        .doc("The text of a number as JavaScript writes it: `fixed` and `precision` with digits, `exponential`, `radix` with a base, `locale` as in en-US with at most n (3) decimals.")
        .example(r#"{"number_text": [2.345, "fixed", 2]}"#, r#""2.35""#);
    NumberIs = builtin("number_is", exactly(2))
        .takes(&[ANY, STRING]).gives(BOOLEAN).visit(OUTSIDE)
        .syntax(r#"{"number_is": [a, what]}"#)
        .doc("Whether a value is a number that is `integer` (without a fraction), `safe`, `finite`, or is `nan`: not a number.")
        .example(r#"{"number_is": [{"divide": [6, 3]}, "integer"]}"#, "true");
}
