//! Pairs.

use crate::form::{BARE, control, exactly, operation};
use crate::kinds::{PAIR, PAIR_OR_LIST};
use crate::typing::{PAIR_AB, Type};

rows! { $ pairs:
    Pair = operation("pair", exactly(2))
        .original(24).gives(PAIR)
        .own(&[Type::A, Type::B], PAIR_AB)
        .syntax(r#"{"pair": [a, b]}"#)
        .doc("A pair of values.")
        .example(r#"{"pair": [1, "a"]}"#, r#"{"pair":[1,"a"]}"#);
    Fst = control("fst", BARE)
        .original(25).takes(&[PAIR_OR_LIST])
        .own(&[PAIR_AB], Type::A)
        .syntax(r#"{"fst": p}"#)
        .doc("First half of a pair, or of a list of two.")
        .example(r#"{"fst": {"pair": [1, 2]}}"#, "1");
    Snd = control("snd", BARE)
        .original(26).takes(&[PAIR_OR_LIST])
        .own(&[PAIR_AB], Type::B)
        .syntax(r#"{"snd": p}"#)
        .doc("Second half of a pair, or of a list of two.")
        .example(r#"{"snd": {"pair": [1, 2]}}"#, "2");
}
