//! The texts that terms were read from. JSON is on the tape. A program in the notation has a place for
//! each of its terms instead, in the order of reading.

use pif_core::json::tape::{Span, TokenId};
use pif_core::limits::to_u32;

/// The origin of a source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The submitted code.
    Code,
    /// The argument of a run, with the name of its member, such as `input`.
    Argument(&'static str),
    /// The term of the variable of this name.
    Binding(String),
    /// The source of a tool.
    Tool(String),
    /// JSON in a string or in a program in the notation, with the token of that.
    Decoded(TokenId),
}

/// The first place in a program. The tokens of the tape have smaller numbers.
pub(crate) const FIRST_PLACE: TokenId = 1 << 31;

/// All texts that terms were read from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origins {
    /// Roots on the tape in ascending order, each with its origin.
    roots: Vec<(TokenId, Origin)>,
    /// Programs in the notation, in the order of their places.
    programs: Vec<Program>,
    /// Of each place the byte of the program's text at which it begins.
    starts: Vec<u32>,
}

/// A program in the notation.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// Its first place, which is that of its root.
    first: TokenId,
    /// Its text, on the tape.
    source: Span,
    pub(crate) origin: Origin,
    /// The id of its term, once that is complete.
    pub(crate) root: u32,
}

impl Origins {
    /// Adds JSON, whose first token is `root`.
    pub(crate) fn add(&mut self, root: TokenId, origin: Origin) {
        self.roots.push((root, origin));
    }

    /// Begins a program with this text.
    pub(crate) fn begin_program(&mut self, source: Span, origin: Origin) {
        let first = FIRST_PLACE + to_u32(self.starts.len());
        self.programs.push(Program { first, source, origin, root: u32::MAX });
    }

    /// Adds the place of the next term of the program: the byte at which it begins.
    pub(crate) fn add_place(&mut self, start: u32) -> TokenId {
        self.starts.push(start);
        FIRST_PLACE + to_u32(self.starts.len() - 1)
    }

    /// Ends the program, whose term is complete.
    pub(crate) fn end_program(&mut self, root: u32) {
        if let Some(program) = self.programs.last_mut() {
            program.root = root;
        }
    }

    /// Estimates the bytes of all origins and places.
    pub(crate) fn bytes(&self) -> usize {
        const ORIGIN: usize = 40;
        (self.roots.len() + self.programs.len()) * ORIGIN + self.starts.len() * 4
    }

    /// Returns the root of the JSON that a token belongs to, and its origin.
    pub(crate) fn root(&self, token: TokenId) -> Option<&(TokenId, Origin)> {
        let before = self.roots.partition_point(|(root, _)| *root <= token).checked_sub(1)?;
        self.roots.get(before)
    }

    /// Returns the program that a place belongs to.
    pub(crate) fn program(&self, place: TokenId) -> Option<&Program> {
        let before = self.programs.partition_point(|it| it.first <= place).checked_sub(1)?;
        self.programs.get(before)
    }

    /// Returns the place in a program where a token stands, if it is in one.
    pub(crate) fn place(&self, token: TokenId) -> Option<TokenId> {
        let mut token = token;
        while token < FIRST_PLACE {
            let (_, Origin::Decoded(outer)) = self.root(token)? else { return None };
            token = *outer;
        }
        Some(token)
    }

    /// Returns the text of the program that a token is in, and the byte at which it begins.
    pub(crate) fn start(&self, token: TokenId) -> Option<(Span, u32)> {
        let place = self.place(token)?;
        let start = self.starts.get((place - FIRST_PLACE) as usize)?;
        Some((self.program(place)?.source, *start))
    }
}
