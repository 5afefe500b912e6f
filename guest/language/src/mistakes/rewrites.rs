//! Spellings of other languages that surely mean one thing in the notation: patterns of tokens, each
//! with what it is rewritten to.
//!
//! A pattern is a row of tokens with blanks between them. One capital letter is a hole:
//!
//! | hole | what it takes |
//! |---|---|
//! | `K`, `M`, `N` | a name |
//! | `P`, `Q` | an operand with its members, calls and indices |
//! | `T` | an expression without `and`, `or`, choices and what binds as loosely |
//! | `A`, `C` | an expression that ends before `if`, `for` and `else` |
//! | `B`, `E` | an expression that ends before `for` |
//! | `L` | anything up to the bracket that closes; it may be empty |
//!
//! A hole that stands twice takes one text. In the rewriting, `<A>` is the hole as an operand: in
//! parentheses unless it needs none.

/// A pattern and what it is rewritten to.
#[derive(Debug)]
pub struct Rewrite {
    /// The tokens.
    pub from: &'static str,
    /// The text.
    pub to: &'static str,
    /// Whether it stands only where a statement begins.
    pub is_statement: bool,
}

const fn rewrite(from: &'static str, to: &'static str) -> Rewrite {
    Rewrite { from, to, is_statement: false }
}

const fn statement(from: &'static str, to: &'static str) -> Rewrite {
    Rewrite { from, to, is_statement: true }
}

/// The first that matches counts.
#[rustfmt::skip]
pub static REWRITES: &[Rewrite] = &[
    // Comprehensions of Python. What gives each element unchanged needs no `map`.
    rewrite("[ N for N in A if C ]", "<A>.filter(N => C)"),
    rewrite("[ E for N in A if C ]", "<A>.filter(N => C).map(N => E)"),
    rewrite("[ E for M , N in enumerate ( A ) ]", "<A>.map((N, M) => E)"),
    rewrite("[ E for M , N in K . items ( ) if C ]",
        "Object.entries(K).filter(([M, N]) => C).map(([M, N]) => E)"),
    rewrite("[ E for M , N in K . items ( ) ]", "Object.entries(K).map(([M, N]) => E)"),
    rewrite("[ E for M , N in A ]", "<A>.map(([M, N]) => E)"),
    rewrite("[ E for N in A for M in B ]", "<A>.flatMap(N => <B>.map(M => E))"),
    rewrite("[ E for N in A ]", "<A>.map(N => E)"),
    rewrite("all ( E for N in A )", "<A>.every(N => E)"),
    rewrite("any ( E for N in A )", "<A>.some(N => E)"),
    rewrite("( E for N in A if C )", "(<A>.filter(N => C).map(N => E))"),
    rewrite("( E for N in A )", "(<A>.map(N => E))"),
    rewrite("{ E : B for M , N in K . items ( ) if C }",
        "Object.fromEntries(Object.entries(K).filter(([M, N]) => C).map(([M, N]) => [E, B]))"),
    rewrite("{ E : B for M , N in K . items ( ) }",
        "Object.fromEntries(Object.entries(K).map(([M, N]) => [E, B]))"),
    rewrite("{ E : B for M , N in A }", "Object.fromEntries(<A>.map(([M, N]) => [E, B]))"),
    rewrite("{ E : B for N in A if C }",
        "Object.fromEntries(<A>.filter(N => C).map(N => [E, B]))"),
    rewrite("{ E : B for N in A }", "Object.fromEntries(<A>.map(N => [E, B]))"),
    // Choices and tests.
    rewrite("E if C else B", "C ? E : B"),
    rewrite("if C then A else B", "C ? A : B"),
    rewrite("is not", "!="),
    rewrite("not T", "!<T>"),
    rewrite("= <", "<="),
    rewrite("<>", "!="),
    rewrite("AND", "&&"),
    rewrite("OR", "||"),
    // Functions.
    rewrite("lambda : E", "() => E"),
    rewrite("lambda N : E", "N => E"),
    rewrite("lambda M , N : E", "(M, N) => E"),
    rewrite("lambda L : E", "(L) => E"),
    rewrite("function ( L ) return E end", "(L) => E"),
    rewrite("fn ( L ) -> E", "(L) => E"),
    rewrite("fn ( L ) => E", "(L) => E"),
    rewrite("fn ( L ) { L }", "(L) => {L}"),
    rewrite("func ( L ) { L }", "(L) => {L}"),
    rewrite("fun N -> E", "N => E"),
    rewrite("fn N -> E", "N => E"),
    rewrite("fn N => E", "N => E"),
    rewrite("| N | E", "N => E"),
    rewrite("| M , N | E", "(M, N) => E"),
    rewrite("λ N . E", "N => E"),
    statement("def N ( L ) : return E", "const N = (L) => E;"),
    statement("def N ( L ) { L }", "function N(L) {L}"),
    statement("fn N ( L ) { L }", "function N(L) {L}"),
    statement("func N ( L ) { L }", "function N(L) {L}"),
    statement("fun N ( L ) { L }", "function N(L) {L}"),
    statement("fun N ( L ) = E", "const N = (L) => E;"),
    statement("def N ( L ) = E", "const N = (L) => E;"),
    // Bindings.
    statement("N := E", "let N = E"),
    statement("local N = E", "let N = E"),
    statement("let mut N = E", "let N = E"),
    statement("val N = E", "const N = E"),
    statement("auto N = E", "let N = E"),
    statement("int N = E", "let N = E"),
    statement("float N = E", "let N = E"),
    statement("double N = E", "let N = E"),
    statement("string N = E", "let N = E"),
    statement("String N = E", "let N = E"),
    statement("my N = E", "let N = E"),
    statement("def N = E", "let N = E"),
    statement("global N = E", "let N = E"),
    // Statements whose heads have no parentheses.
    rewrite("} elsif ( L ) {", "} else if (L) {"),
    rewrite("} elif ( L ) {", "} else if (L) {"),
    rewrite("} elseif ( L ) {", "} else if (L) {"),
    statement("else if C { L }", "else if (C) {L}"),
    statement("if C { L }", "if (C) {L}"),
    statement("while C { L }", "while (C) {L}"),
    statement("for N in A { L }", "for (const N of A) {L}"),
    statement("foreach ( A as N ) { L }", "for (const N of A) {L}"),
    statement("foreach ( N in A ) { L }", "for (const N of A) {L}"),
    statement("for each ( N in A ) { L }", "for (const N of A) {L}"),
    // Calls.
    rewrite("sorted ( A , key = E , reverse = True )", "<A>.sort_by(E, \"desc\")"),
    rewrite("sorted ( A , key = E , reverse = true )", "<A>.sort_by(E, \"desc\")"),
    rewrite("sorted ( A , key = E )", "<A>.sort_by(E)"),
    rewrite("sorted ( A , reverse = True )", "sorted(A).toReversed()"),
    rewrite("sorted ( A , reverse = true )", "sorted(A).toReversed()"),
    rewrite("max ( A , key = E )", "<A>.max_by(E)"),
    rewrite("min ( A , key = E )", "<A>.min_by(E)"),
    rewrite("print ( L )", "console.log(L)"),
    rewrite("println ( L )", "console.log(L)"),
    rewrite("puts ( L )", "console.log(L)"),
    rewrite("bool ( E )", "Boolean(E)"),
    rewrite("int ( E )", "parseInt(E)"),
    rewrite("float ( E )", "Number(E)"),
    rewrite("list ( E )", "Array.from(E)"),
    rewrite("ord ( E )", "char_code(E)"),
    rewrite("chr ( E )", "from_char_code(E)"),
    // Slices of Python.
    rewrite("P [ : E ]", "P.slice(0, E)"),
    rewrite("P [ B : E ]", "P.slice(B, E)"),
    rewrite("P [ B : ]", "P.slice(B)"),
    // Types of TypeScript.
    rewrite("A as const", "A"),
    rewrite("P as N", "P"),
    rewrite("P ! .", "P."),
    // SQL, where the columns are all.
    rewrite("P IS NULL", "P == null"),
    rewrite("P IS NOT NULL", "P != null"),
];
