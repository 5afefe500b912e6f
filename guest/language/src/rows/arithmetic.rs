//! Numbers.

use crate::form::{BARE, Bare, Shape, at_least, between, builtin, exactly, literal, operation};
use crate::kinds::{ANY, BOOLEAN, DATE, NULL, NUMBER, ODD, STRING, VALUE};
use crate::prices::{MAKE, MAKER, OTHER, OUTSIDE, READER, STEP, TEXT};
use crate::typing::{BOOL, FLT, INT, MAYBE_NUM, NUM, NUM_OR_TXT, TXT, Type};

const OF_BIG: &str = "of a big operand 8, and the limbs of the longest";
const SUM: &str = "of a float and no big integer 6; of a big integer 16, and the limbs of the longer one; of \
        more than two operands that of two, from left to right";
const MIXED: &str = "An integer and a float give a float. `div` rounds down for two integers, and divides if one \
        is a float. A zero divisor of either type is `divide-by-zero`. A float that would not be \
        finite is `not-finite`.";
pub(super) const IN_ORDER: &str =
    "All operands are evaluated, then all are checked, then they are used from left to right.";
const FLOATS: &str = "An integer counts as the nearest float. An integer beyond all floats is `not-finite`. So are \
        the root of a negative number, and the logarithm of a negative number or of zero. All \
        results are equal on every platform. `sqrt` is the nearest float. `exp ln log10` and `pow` \
        of floats are computed to some 90 bits and rounded once, so hardly one of 10^10 is not the \
        nearest float.";
const ANY_SIZE: &str = "The result is an integer of any size; of `round`, without digits.";
const BEST: &str = "Of equal numbers the first is the result, as it is. In one operand that is a list, null is \
        skipped. Null among several operands is `type-mismatch`.";

rows! { $ arithmetic:
    Add = operation("add", at_least(2))
        .original(4).takes(&[NUMBER]).gives(NUMBER).work(MAKE, SUM)
        .typed(&[NUM], Type::Numeric)
        .syntax(r#"{"add": [a, b, …]}"#)
        .doc("Sum of two or more numbers. Integers are exact, of any size.")
        .details(&[MIXED, IN_ORDER])
        .example(r#"{"add": [9223372036854775807, 1]}"#, "9223372036854775808");
    Sub = operation("sub", exactly(2))
        .original(5).takes(&[NUMBER]).gives(NUMBER).work(MAKE, SUM)
        .typed(&[Type::Of(NUMBER | DATE)], Type::Numeric)
        .syntax(r#"{"sub": [a, b]}"#)
        .doc("Difference of two numbers.")
        .details(&[MIXED])
        .example(r#"{"sub": [10, 3]}"#, "7");
    Mul = operation("mul", at_least(2))
        .original(6).takes(&[NUMBER]).gives(NUMBER)
        .work(MAKE, "as `add`, but the product of the numbers of limbs in place of the longer one")
        .typed(&[NUM], Type::Numeric)
        .syntax(r#"{"mul": [a, b, …]}"#)
        .doc("Product of two or more numbers.")
        .details(&[MIXED, IN_ORDER])
        .example(r#"{"mul": [6, 7]}"#, "42");
    Div = operation("div", exactly(2))
        .original(7).takes(&[NUMBER]).gives(NUMBER)
        .work(MAKE, "as `add`, but for n and m limbs m·(n − m + 1) in place of the longer one, or \
            m if n is less")
        .typed(&[NUM], Type::Numeric)
        .syntax(r#"{"div": [a, b]}"#)
        .doc("Quotient of two numbers; of integers, rounded down.")
        .details(&[MIXED])
        .example(r#"{"div": [-7, 2]}"#, "-4");
    Mod = operation("mod", exactly(2))
        .original(8).takes(&[NUMBER]).gives(NUMBER)
        .work(MAKE, "as `div`; with a float, that of both operands times the least power of two \
            that makes them integers")
        .typed(&[NUM], Type::Numeric)
        .syntax(r#"{"mod": [a, b]}"#)
        .doc("Exact remainder, with the sign of the divisor.")
        .details(&[
            MIXED,
            "The result is a − b·⌊a/b⌋ of the exact numbers, rounded once. That holds for floats \
                and for large integers beside floats too. It has the sign of the divisor, and a \
                zero has it too: `{\"mod\":[6,{\"float\":-3}]}` is `-0.0`. If the exact remainder \
                rounds to the divisor, the result is the divisor: \
                `{\"mod\":[{\"float\":-1e-20},1]}` is `1.0`.",
        ])
        .example(r#"{"mod": [-7, 2]}"#, "1");
    Float = literal("float", Shape::Literal)
        .gives(NUMBER)
        .own(&[], FLT)
        .syntax(r#"{"float": 3.14}"#)
        .doc("A floating-point number (IEEE double).")
        .example(r#"{"float": 3.14}"#, "3.14");
    Int = literal("int", Shape::Literal)
        .gives(NUMBER)
        .own(&[], INT)
        .syntax(r#"{"int": "123"}"#)
        .doc("An integer as text, for clients that cannot write large ones.")
        .example(r#"{"int": "123456789012345678901234567890"}"#, "123456789012345678901234567890");
    Fdiv = builtin("fdiv", exactly(2))
        .takes(&[NUMBER]).gives(NUMBER).visit(OUTSIDE).work(OTHER, OF_BIG)
        .typed(&[NUM], FLT)
        .syntax(r#"{"fdiv": [a, b]}"#)
        .doc("Quotient as a float, correctly rounded.")
        .details(&[
            "The result is the float nearest to the quotient of the exact operands, whatever their \
                types and sizes. A quotient of zero has a sign, as for floats: `{\"fdiv\":[0,-5]}` \
                is `-0.0`.",
        ])
        .example(r#"{"fdiv": [7, 2]}"#, "3.5");
    Neg = builtin("neg", BARE)
        .takes(&[NUMBER]).gives(NUMBER).visit(OUTSIDE).work(MAKE, OF_BIG)
        .typed(&[NUM], Type::Numeric)
        .syntax(r#"{"neg": a}"#)
        .doc("The number with the other sign.")
        .example(r#"{"neg": 5}"#, "-5");
    Abs = builtin("abs", BARE)
        .takes(&[NUMBER]).gives(NUMBER).visit(OUTSIDE).work(MAKE, OF_BIG)
        .typed(&[NUM], Type::Numeric)
        .syntax(r#"{"abs": a}"#)
        .doc("The number without its sign.")
        .example(r#"{"abs": -5}"#, "5");
    Sqrt = builtin("sqrt", BARE)
        .takes(&[NUMBER]).gives(NUMBER).visit(OUTSIDE).work(MAKE, OF_BIG)
        .typed(&[NUM], FLT)
        .syntax(r#"{"sqrt": a}"#)
        .doc("Square root, a float.")
        .details(&[FLOATS])
        .example(r#"{"sqrt": 2}"#, "1.4142135623730951");
    Exp = builtin("exp", BARE)
        .takes(&[NUMBER]).gives(NUMBER).visit(MAKER).work(MAKE, OF_BIG)
        .typed(&[NUM], FLT)
        .syntax(r#"{"exp": a}"#)
        .doc("e to the power of a number, a float.")
        .details(&[FLOATS])
        .example(r#"{"exp": 0}"#, "1.0");
    Ln = builtin("ln", BARE)
        .takes(&[NUMBER]).gives(NUMBER).visit(MAKER).work(MAKE, OF_BIG)
        .typed(&[NUM], FLT)
        .syntax(r#"{"ln": a}"#)
        .doc("Natural logarithm, a float.")
        .details(&[FLOATS])
        .example(r#"{"ln": 1}"#, "0.0");
    Log10 = builtin("log10", BARE)
        .takes(&[NUMBER]).gives(NUMBER).visit(MAKER).work(MAKE, OF_BIG)
        .typed(&[NUM], FLT)
        .syntax(r#"{"log10": a}"#)
        .doc("Decimal logarithm, a float.")
        .details(&[FLOATS])
        .example(r#"{"log10": 1000}"#, "3.0");
    Floor = builtin("floor", BARE)
        .takes(&[NUMBER]).gives(NUMBER).visit(MAKER).work(MAKE, OF_BIG)
        .typed(&[NUM], INT)
        .syntax(r#"{"floor": a}"#)
        .doc("Rounds down to an integer.")
        .details(&[ANY_SIZE])
        .example(r#"{"floor": {"float": -2.5}}"#, "-3");
    Ceil = builtin("ceil", BARE)
        .takes(&[NUMBER]).gives(NUMBER).visit(MAKER).work(MAKE, OF_BIG)
        .typed(&[NUM], INT)
        .syntax(r#"{"ceil": a}"#)
        .doc("Rounds up to an integer.")
        .details(&[ANY_SIZE])
        .example(r#"{"ceil": {"float": 2.1}}"#, "3");
    ToInt = builtin("to_int", BARE)
        .takes(&[NUMBER]).gives(NUMBER).visit(MAKER).work(MAKE, OF_BIG)
        .typed(&[NUM], INT)
        .syntax(r#"{"to_int": a}"#)
        .doc("The number without its fraction, an integer.")
        .details(&[ANY_SIZE])
        .example(r#"{"to_int": {"float": -2.9}}"#, "-2");
    ToFloat = builtin("to_float", BARE)
        .takes(&[NUMBER]).gives(NUMBER).visit(OUTSIDE).work(MAKE, OF_BIG)
        .typed(&[NUM], FLT)
        .syntax(r#"{"to_float": a}"#)
        .doc("The nearest float.")
        .details(&[FLOATS])
        .example(r#"{"to_float": 2}"#, "2.0");
    Pow = builtin("pow", exactly(2))
        .takes(&[NUMBER]).gives(NUMBER).visit(READER)
        .work(STEP, "as `fdiv`; of integers with a positive exponent also the numbers of limbs, \
            multiplied, of each product of more than one limb: for each bit of the exponent after \
            the highest a square, and a product with the base where the bit is 1")
        .typed(&[NUM], NUM)
        .syntax(r#"{"pow": [a, b]}"#)
        .doc("a to the power b; exact for integers, a float if b is negative.")
        .details(&[
            "A power of integers is exact. A negative exponent gives the float nearest to the \
                exact quotient. A zero to a negative power is `divide-by-zero`. A negative number \
                to a power that is no integer is `not-finite`. `{\"pow\":[0,0]}` is `1`. A result \
                of more than 2^20 bits is `too-large` before any fuel is paid.",
        ])
        .example(r#"{"pow": [2, 100]}"#, "1267650600228229401496703205376");
    Round = builtin("round", between(1, 2).or_bare(Bare::Read))
        .takes(&[NUMBER]).gives(NUMBER).visit(MAKER)
        .work(MAKE, "of a big integer 8, and its limbs, or their square with negative digits; of a \
            float with digits below 0 or above 22, 64")
        .typed(&[NUM], Type::Counted(&INT, &NUM))
        .syntax(r#"{"round": [a, digits?]}"#)
        .doc("Rounds half to even, to an integer or to digits after the point.")
        .details(&[
            "The exact value is rounded, half to even. So `{\"round\":[{\"float\":2.675},2]}` is \
                `2.67`, because that float is nearer to it. With digits a float stays a float and \
                an integer an integer. Negative digits round before the point.",
            ANY_SIZE,
        ])
        .example(r#"{"round": [{"float": 2.345}, 1]}"#, "2.3");
    Min = builtin("min", at_least(1).or_bare(Bare::Read))
        .gives(NUMBER).visit(MAKER)
        .work(OTHER, "that of `lt` for each number after the first; of one list also 1 per element")
        .own(&[NUM], NUM)
        .syntax(r#"{"min": [a, b, …]} or {"min": l}"#)
        .doc("The least of two or more numbers, or of a list (nulls skipped).")
        .details(&[BEST])
        .example(r#"{"min": [3, 1, 2]}"#, "1");
    Max = builtin("max", at_least(1).or_bare(Bare::Read))
        .gives(NUMBER).visit(MAKER)
        .work(OTHER, "that of `lt` for each number after the first; of one list also 1 per element")
        .own(&[NUM], NUM)
        .syntax(r#"{"max": [a, b, …]} or {"max": l}"#)
        .doc("The greatest of two or more numbers, or of a list (nulls skipped).")
        .details(&[BEST])
        .example(r#"{"let": [["l", [3, null, 7]]], "in": {"max": {"var": "l"}}}"#, "7");
    Divide = builtin("divide", between(2, 3))
        .takes(&[NUMBER, NUMBER, STRING, ANY]).gives(NUMBER).visit(MAKER)
        .work(MAKE, "as `div`; the units of the mode")
        .own(&[NUM, NUM, TXT], NUM)
        .syntax(r#"{"divide": [a, b, mode?]}"#)
        .doc("Quotient: of two integers the exact integer if b divides a, else the nearest float. \
            A mode rounds it once: `floor`, `ceil`, `round` (halves up), `trunc`.")
        .example(r#"{"divide": [7, 2]}"#, "3.5");
    Rem = operation("rem", exactly(2))
        .takes(&[NUMBER]).gives(NUMBER).work(MAKE, "as `div`")
        .typed(&[NUM], Type::Numeric)
        .syntax(r#"{"rem": [a, b]}"#)
        .doc("Remainder with the sign of a, as `%` of JavaScript.")
        .example(r#"{"rem": [-7, 3]}"#, "-1");
    Plus = operation("plus", at_least(2))
        .takes(&[ANY])
        .work(MAKE, "numbers before the first text as `add`; beside a text, 8 per float or date, \
            and the digits of each big integer")
        .own(&[NUM_OR_TXT], NUM_OR_TXT)
        .syntax(r#"{"plus": [a, b, …]}"#)
        .doc("Sum of numbers; where a text stands on either side, the two as one text.")
        .example(r#"{"plus": [1, 2, "a"]}"#, r#""3a""#);
    Math = builtin("math", at_least(2))
        .takes(&[STRING, NUMBER]).gives(NUMBER).visit(MAKER).apart()
        .work(MAKE, "the units of the name; of a big number 8, and the limbs of the longest; `pow` \
            also that of the form")
        .typed(&[TXT, NUM], NUM)
        .syntax(r#"{"math": [name, a, …]}"#)
        .doc("A function of JavaScript's `Math`: `sin cos tan asin acos atan sinh cosh tanh asinh \
            acosh atanh exp expm1 log log1p log2 log10 sqrt cbrt fround sign`, `atan2 pow` of two, \
            `hypot` of any number.")
        .example(r#"{"math": ["hypot", 3, 4]}"#, "5.0");
    Bits = builtin("bits", between(2, 3))
        .takes(&[STRING, NUMBER, NUMBER, ANY]).gives(NUMBER).visit(MAKER).apart()
        .work(MAKE, "the units of the name; of a big number 8, and the limbs of the longest; \
            `left` by more than 63 bits also 8, and the limbs of the bits")
        .typed(&[TXT, NUM], INT)
        .syntax(r#"{"bits": [operation, a, b?]}"#)
        .doc("Bits of integers: `& | ^ ~ << >> >>> imul clz32` on 32 bits as JavaScript does, `and \
            or xor not left right` on integers of any size.")
        .example(r#"{"bits": [">>>", -1, 28]}"#, "15");
    ToNumber = builtin("to_number", BARE)
        .takes(&[VALUE]).gives(NUMBER).visit(MAKER)
        .work(TEXT, "of a text its units, the digits of a long integer, and 16 for another number \
            if the text is longer than 19 bytes")
        .typed(&[Type::Deep], Type::Of(NUMBER | ODD))
        .syntax(r#"{"to_number": a}"#)
        .doc("A number of a text, boolean, null or date, as `Number` of JavaScript. Where there is \
            none, a value that is not a number: false, equal to nothing, refused by other forms.")
        .example(r#"{"to_number": " 42 "}"#, "42");
    LeadingNumber = builtin("leading_number", between(1, 2))
        .takes(&[ANY]).gives(NUMBER).visit(MAKER)
        .work(TEXT, "as `to_number`; of a value that is no text, also that of writing it")
        .typed(&[Type::Deep, Type::Any], Type::Of(NUMBER | ODD))
        .syntax(r#"{"leading_number": [s, radix?]}"#)
        .doc("The number that a text begins with: an integer in a radix (2 to 36; 10, or 16 after \
            0x), or with `float` as radix a decimal.")
        .example(r#"{"leading_number": ["12px", 10]}"#, "12");
    NumberText = builtin("number_text", between(2, 3))
        .takes(&[NUMBER, STRING, NUMBER | NULL, ANY]).gives(STRING).visit(MAKER)
        .work(TEXT, "8 for a float, the digits of a big integer; the units of the result")
        .typed(&[NUM, TXT, MAYBE_NUM], TXT)
        .syntax(r#"{"number_text": [a, style, n?]}"#)
        .doc("The text of a number as JavaScript writes it: `fixed` and `precision` with digits, \
            `exponential`, `radix` with a base, `locale` as in en-US with at most n (3) decimals.")
        .example(r#"{"number_text": [2.345, "fixed", 2]}"#, r#""2.35""#);
    NumberIs = builtin("number_is", exactly(2))
        .takes(&[ANY, STRING]).gives(BOOLEAN).visit(OUTSIDE)
        .typed(&[Type::Any, TXT], BOOL)
        .syntax(r#"{"number_is": [a, what]}"#)
        .doc("Whether a value is a number that is `integer` (without a fraction), `safe`, \
            `finite`, or is `nan`: not a number.")
        .example(r#"{"number_is": [{"divide": [6, 3]}, "integer"]}"#, "true");
}
