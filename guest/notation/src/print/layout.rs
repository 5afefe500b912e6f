//! Lines of 100 columns: what fits on a line stands there, what does not is broken at its own
//! breaks, and not at those within what fits.

/// A piece of a text that can be broken.
#[derive(Clone, Copy, Debug)]
pub(super) enum Piece<'t> {
    Text(&'t str),
    /// A text that was made for the printing, by its place.
    Made(u32),
    /// What is broken as a whole or not at all begins, with lines that stand further in or not.
    Open(bool),
    Close,
    /// A break, or a blank, or nothing.
    Line(bool),
    /// The break before what closes, or a blank, or nothing.
    Last(bool),
}

const WIDTH: usize = 100;

/// Columns that a step to the right takes, and how far the steps go: the text of what is nested very
/// deep is no longer than its parts.
const STEP: usize = 2;
const FURTHEST: usize = 60;

/// The pieces as a text.
pub(super) fn text(pieces: &[Piece<'_>], made: &[String]) -> String {
    let widths = widths(pieces, made);
    let (mut out, mut column) = (String::new(), 0);
    // Of what is open: how far in its lines stand, those outside it, and whether it is broken.
    let mut open: Vec<(usize, usize, bool)> = vec![(0, 0, true)];
    for (at, piece) in pieces.iter().enumerate() {
        let (inner, outer, is_broken) = open.last().copied().unwrap_or_default();
        if let Some(text) = piece.text(made) {
            out.push_str(text);
            column += text.chars().count();
        }
        match piece {
            Piece::Text(_) | Piece::Made(_) => {}
            Piece::Open(is_further) => {
                let fits = column + widths.get(at).copied().unwrap_or_default() <= WIDTH;
                let further = if *is_further && !fits { inner + STEP } else { inner };
                open.push((further.min(FURTHEST), inner, !fits));
            }
            Piece::Close => {
                open.pop();
            }
            Piece::Line(_) | Piece::Last(_) if is_broken => {
                column = if matches!(piece, Piece::Line(_)) { inner } else { outer };
                out.push('\n');
                out.extend(std::iter::repeat_n(' ', column));
            }
            Piece::Line(is_blank) | Piece::Last(is_blank) => {
                if *is_blank {
                    out.push(' ');
                }
                column += usize::from(*is_blank);
            }
        }
    }
    out
}

impl<'t> Piece<'t> {
    /// The characters of a text.
    fn text(self, made: &'t [String]) -> Option<&'t str> {
        match self {
            Piece::Text(text) => Some(text),
            Piece::Made(place) => made.get(place as usize).map(String::as_str),
            _ => None,
        }
    }
}

/// Of each beginning the columns from there to its end, and to the next break after it.
fn widths(pieces: &[Piece<'_>], made: &[String]) -> Vec<usize> {
    let mut widths = vec![0; pieces.len()];
    // From the end: columns to the end of the whole, and to the next break.
    let (mut total, mut ends) = (0_usize, Vec::new());
    let mut tail = 0;
    for (at, piece) in pieces.iter().enumerate().rev() {
        if let Some(text) = piece.text(made) {
            let columns = text.chars().count();
            total += columns;
            tail += columns;
        }
        match piece {
            Piece::Text(_) | Piece::Made(_) => {}
            Piece::Close => ends.push((total, tail)),
            Piece::Open(_) => {
                let (before, behind) = ends.pop().unwrap_or_default();
                if let Some(width) = widths.get_mut(at) {
                    *width = total - before + behind;
                }
            }
            Piece::Line(is_blank) | Piece::Last(is_blank) => {
                total += usize::from(*is_blank);
                tail = 0;
            }
        }
    }
    widths
}
