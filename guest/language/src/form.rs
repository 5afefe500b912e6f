//! Forms, and the row with all data about one. `Form` has a variant for each row of `rows`.

use crate::kinds::{BOOLEAN, FUNCTION, Kinds, LIST, NULL, NUMBER, STRING, UNKNOWN};
use crate::prices::{ELEMENT, Fuel, LOOP, OTHER};
use crate::typing::{Rule, Type};

/// Makes `Form` of the names of the rows and of the literals.
macro_rules! enumerate {
    ([$($form:ident)*] $($literal:ident: $name:literal, $gives:expr;)*) => {
        /// The form of a term: a form of the table, or a literal.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u8)]
        #[expect(missing_docs, reason = "the row of a form documents it")]
        pub enum Form {
            $($form,)*
            $($literal,)*
        }

        /// The name of each literal and the type of its value. It has neither a key nor a row.
        pub(crate) const LITERALS: &[(&str, Kinds)] = &[$(($name, $gives)),*];
    };
}

macro_rules! with_literals {
    ($($form:ident)*) => {
        enumerate! {
            [$($form)*]
            Unit: "literal", NULL;
            Boolean: "literal", BOOLEAN;
            Integer: "literal", NUMBER;
            BigInteger: "literal", NUMBER;
            FloatNumber: "literal", NUMBER;
            Text: "literal", STRING;
            List: "list", LIST;
        }
    };
}

every_form! { with_literals }

/// How you write the operands of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `"name"`
    Name,
    /// `"x", "body": t` or `["x", "y"], "body": t`
    Lambda,
    /// `{"func": f, "arg": a}` or `{"func": f, "args": [a, b]}`
    Application,
    /// `[a, b, …]`, from a least to a greatest number of operands.
    List {
        /// The least number.
        least: u32,
        /// The greatest number.
        most: u32,
        /// How a single operand is written.
        bare: Bare,
    },
    /// A number, or a text of one.
    Literal,
    /// `[[test, value], …]`
    Branches,
    /// `t, "catch": f`
    Try,
    /// `{"cond": c, "then": t, "else": e}`, named members in order of evaluation.
    Members(&'static [&'static str]),
    /// `Members`, the last of which may be missing.
    MembersOr(&'static [&'static str]),
    /// Anything. It is ignored.
    Ignored,
    /// `[["x", t], …], "in": b` or `{"x": t}, "in": b`
    Bindings,
    /// `[["f", lam], …], "in": b` or `{"f": lam}, "in": b`
    Functions,
    /// `{"key": t, …}`
    Fields,
    /// `MembersOr`, the first of which is a literal text: `UPSTREAM.TOOL`.
    Named(&'static [&'static str]),
}

/// How you write the single operand of a form: in an array, or bare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bare {
    /// In an array.
    Never,
    /// In an array, or bare unless it is a literal array. The canonical text has the array.
    Read,
    /// As `Read`, but the canonical text has the array only where the operand is a literal array.
    Written,
    /// Bare.
    Always,
    /// The operand is a list, in an array or bare. A literal array of exactly one element holds
    /// the list; any other is the list itself. Where the form takes a number besides, a literal
    /// array of two whose second element is a literal number holds the list and that.
    List,
}

impl Bare {
    /// Tells whether the canonical text of a form has its operands without an array: so many, the
    /// first of which may be a literal array.
    #[must_use]
    pub const fn is_written(self, count: usize, is_list: bool) -> bool {
        match self {
            Self::Always => true,
            Self::Written => count == 1 && !is_list,
            Self::Never | Self::Read | Self::List => false,
        }
    }
}

/// The bare operand.
pub(crate) const BARE: Shape = Shape::List { least: 1, most: 1, bare: Bare::Always };
/// A list, in an array or bare.
pub(crate) const LIST_OF: Shape = Shape::List { least: 1, most: 1, bare: Bare::List };

/// An array of exactly so many operands.
pub(crate) const fn exactly(count: u32) -> Shape {
    between(count, count)
}

/// An array of at least so many operands.
pub(crate) const fn at_least(least: u32) -> Shape {
    between(least, u32::MAX)
}

/// An array of operands, whose number has these bounds.
pub(crate) const fn between(least: u32, most: u32) -> Shape {
    Shape::List { least, most, bare: Bare::Never }
}

impl Shape {
    /// The shape with another way to write a single operand.
    pub(crate) const fn or_bare(self, bare: Bare) -> Self {
        match self {
            Self::List { least, most, .. } => Self::List { least, most, bare },
            other => other,
        }
    }

    /// Tells whether a form takes a list, in an array or bare.
    #[must_use]
    pub const fn takes_list(self) -> bool {
        matches!(self, Self::List { bare: Bare::List, .. })
    }

    /// Tells whether a form always has a bare operand.
    #[must_use]
    pub const fn is_bare(self) -> bool {
        matches!(self, Self::List { bare: Bare::Always, .. })
    }
}

/// How a form is evaluated. This decides which table holds its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evaluation {
    /// The parser makes a literal of it.
    Literal,
    /// The compiler has a rule for it (`compile::rules`).
    Control,
    /// The machine evaluates the operands, then an operation takes one or two.
    Operation,
    /// It applies a function to elements, one after another (`compile::loops`).
    Elementwise,
    /// The machine evaluates the operands, then a function takes them all (`machine::builtin`).
    Builtin,
    /// It has a meaning only inside a quote.
    Hole,
}

/// What an elementwise form does with the value of its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// It is an element of the result, or a key.
    Push,
    /// It tells whether the element is one of the result.
    Select,
    /// The form itself looks at it.
    Next,
    /// The form applies its function once, to one value in a record or list, and puts it there.
    Update,
}

/// The first operand of a form, if it is a function that the form applies to each element.
#[derive(Clone, Copy, Debug)]
pub struct Callback {
    /// How many arguments it gets.
    pub arguments: usize,
    /// Whether it may have a name for the index too, in the notation.
    pub has_index: bool,
}

/// What pages tell about a form. Without the feature `pages` it is nothing, so that the component
/// need not carry it.
#[derive(Clone, Copy, Debug)]
pub struct Notes {
    /// How many units of work it does; nothing if it does none.
    #[cfg(feature = "pages")]
    pub work: &'static str,
    /// What more there is to know, in paragraphs.
    #[cfg(feature = "pages")]
    pub details: &'static [&'static str],
}

#[cfg(feature = "pages")]
impl Notes {
    const NONE: Self = Self { work: "", details: &[] };

    const fn work(self, work: &'static str) -> Self {
        Self { work, ..self }
    }

    const fn details(self, details: &'static [&'static str]) -> Self {
        Self { details, ..self }
    }
}

#[cfg(not(feature = "pages"))]
impl Notes {
    const NONE: Self = Self {};

    const fn work(self, _: &'static str) -> Self {
        self
    }

    const fn details(self, _: &'static [&'static str]) -> Self {
        self
    }
}

/// The place of a form that is not of the original calculus: behind all that are.
pub const NO_ORIGINAL: u8 = u8::MAX;

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The key in JSON.
    pub name: &'static str,
    /// The form.
    pub form: Form,
    /// The group in `help`.
    pub group: &'static str,
    /// How you write its operands.
    pub shape: Shape,
    /// How it is evaluated.
    pub evaluation: Evaluation,
    /// What it does with the value of its function, if it is elementwise.
    pub taken: Option<Taken>,
    /// The function that it applies to each element.
    pub callback: Option<Callback>,
    /// The operand that stands before the point, where the notation writes the form as a member.
    pub subject: usize,
    /// Whether the notation writes it as a function though it could be a member.
    pub is_apart: bool,
    /// The types of its operands. The last is for all that follow.
    pub takes: &'static [Kinds],
    /// The type of its value.
    pub gives: Kinds,
    /// What it takes and gives, for the analyst.
    pub typing: Rule,
    /// Its prices.
    pub fuel: Fuel,
    /// Its place in the search of an object for a form of the original calculus; `NO_ORIGINAL` if it
    /// does not belong to that. `input` reads only those as code.
    pub original: u8,
    /// Its syntax, for people.
    pub syntax: &'static str,
    /// One line of documentation.
    pub doc: &'static str,
    /// What only pages tell.
    pub notes: Notes,
    /// A term that shows its use.
    pub example: &'static str,
    /// The example's value, as canonical JSON.
    pub result: &'static str,
}

/// A form that the parser makes a literal of.
pub(crate) const fn literal(name: &'static str, shape: Shape) -> Row {
    Row::of(Evaluation::Literal, name, shape)
}

/// A form that the compiler has a rule for.
pub(crate) const fn control(name: &'static str, shape: Shape) -> Row {
    Row::of(Evaluation::Control, name, shape)
}

/// A form that is an operation of the machine.
pub(crate) const fn operation(name: &'static str, shape: Shape) -> Row {
    Row::of(Evaluation::Operation, name, shape)
}

/// A form that applies a function to elements.
pub(crate) const fn elementwise(name: &'static str, shape: Shape, taken: Taken) -> Row {
    let row = Row::of(Evaluation::Elementwise, name, shape).application(ELEMENT);
    let row = if matches!(taken, Taken::Update) { row } else { row.callback(1) };
    Row { taken: Some(taken), ..row }
}

/// A form that is a function of all its operands.
pub(crate) const fn builtin(name: &'static str, shape: Shape) -> Row {
    Row::of(Evaluation::Builtin, name, shape)
}

/// A form that has a meaning only inside a quote.
pub(crate) const fn hole(name: &'static str, shape: Shape) -> Row {
    Row::of(Evaluation::Hole, name, shape)
}

impl Row {
    /// A row of defaults. The macro `rows` adds form and group.
    const fn of(evaluation: Evaluation, name: &'static str, shape: Shape) -> Self {
        Self {
            name,
            form: Form::Unit,
            group: "",
            shape,
            evaluation,
            taken: None,
            callback: None,
            subject: 0,
            is_apart: false,
            takes: &[],
            gives: UNKNOWN,
            typing: Rule::Missing,
            fuel: Fuel { visit: LOOP, application: 0, work: OTHER },
            original: NO_ORIGINAL,
            syntax: "",
            doc: "",
            notes: Notes::NONE,
            example: "",
            result: "",
        }
    }

    pub(crate) const fn named(self, form: Form, group: &'static str) -> Self {
        Self { form, group, ..self }
    }

    /// Makes it a form of the original calculus, which searches an object for forms in this order.
    pub(crate) const fn original(self, place: u8) -> Self {
        Self { original: place, ..self }
    }

    /// Says what the operands are. A function is followed by the subject.
    pub(crate) const fn takes(self, takes: &'static [Kinds]) -> Self {
        Self { takes, subject: if takes[0] == FUNCTION { 1 } else { 0 }, ..self }
    }

    pub(crate) const fn callback(self, arguments: usize) -> Self {
        Self { callback: Some(Callback { arguments, has_index: false }), ..self }
    }

    pub(crate) const fn indexed(self) -> Self {
        Self { callback: Some(Callback { arguments: 1, has_index: true }), ..self }
    }

    pub(crate) const fn subject(self, subject: usize) -> Self {
        Self { subject, ..self }
    }

    pub(crate) const fn apart(self) -> Self {
        Self { is_apart: true, ..self }
    }

    pub(crate) const fn gives(self, gives: Kinds) -> Self {
        Self { gives, ..self }
    }

    /// Says which types it takes and gives: the analyst needs to know no more.
    pub(crate) const fn typed(self, takes: &'static [Type], gives: Type) -> Self {
        Self { typing: Rule::Signature { takes, gives }, ..self }
    }

    /// Says that the analyst has a function for it, and which types people read.
    pub(crate) const fn own(self, takes: &'static [Type], gives: Type) -> Self {
        Self { typing: Rule::Own { takes, gives }, ..self }
    }

    pub(crate) const fn visit(self, visit: u16) -> Self {
        Self { fuel: Fuel { visit, ..self.fuel }, ..self }
    }

    pub(crate) const fn application(self, application: u16) -> Self {
        Self { fuel: Fuel { application, ..self.fuel }, ..self }
    }

    /// Sets the price of a unit of work, and says how many units there are.
    pub(crate) const fn work(self, work: u16, units: &'static str) -> Self {
        let notes = self.notes.work(units);
        Self { fuel: Fuel { work, ..self.fuel }, notes, ..self }
    }

    pub(crate) const fn details(self, details: &'static [&'static str]) -> Self {
        let notes = self.notes.details(details);
        Self { notes, ..self }
    }

    pub(crate) const fn syntax(self, syntax: &'static str) -> Self {
        Self { syntax, ..self }
    }

    pub(crate) const fn doc(self, doc: &'static str) -> Self {
        Self { doc, ..self }
    }

    pub(crate) const fn example(self, example: &'static str, result: &'static str) -> Self {
        Self { example, result, ..self }
    }
}
