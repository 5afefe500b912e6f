//! Lines of 100 columns: what fits on a line stands there, what does not is broken at its own
//! breaks, and not at those within what fits.

/// A piece of a text that can be broken.
#[derive(Clone, Copy, Debug)]
pub(super) enum Piece<'t> {
    Text(&'t str),
    /// A text that was made for the printing, by its place.
    Made(u32),
    /// A group begins: it is broken as a whole or not at all, and its lines stand further in.
    Open,
    Close,
    /// A break, or a blank, or nothing.
    Line(bool),
    /// The break before what closes, or a blank, or nothing.
    Last(bool),
    /// An item begins that can stand where the line is, with only its own breaks: always, or where
    /// it is too long for a line of its own.
    Attach(bool),
}

const WIDTH: usize = 100;

/// Columns that a step to the right takes, and how far the steps go: the text of what is nested very
/// deep is no longer than its parts.
const STEP: usize = 2;
const FURTHEST: usize = 60;

/// The pieces as a text.
pub(super) fn text(pieces: &[Piece<'_>], made: &[String]) -> String {
    let (widths, whole) = widths(pieces, made);
    let (mut out, mut column) = (String::new(), 0);
    // Of what is open: how far in its lines stand, those outside it, and whether it is broken.
    let mut open: Vec<(usize, usize, bool)> = vec![(0, 0, whole > WIDTH)];
    for (at, piece) in pieces.iter().enumerate() {
        let (inner, outer, is_broken) = open.last().copied().unwrap_or_default();
        if let Some(text) = piece.text(made) {
            out.push_str(text);
            column += text.chars().count();
        }
        match piece {
            Piece::Text(_) | Piece::Made(_) | Piece::Attach(_) => {}
            Piece::Open => {
                let [whole, head, item] = widths.get(at).copied().unwrap_or_default();
                let is_broken = column + whole > WIDTH
                    && (column + head > WIDTH || inner + STEP + item <= WIDTH);
                let further = if is_broken { inner + STEP } else { inner };
                open.push((further.min(FURTHEST), inner, is_broken));
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

/// Of each beginning the columns from there to its end and to the next break after it, those to the
/// first break in an item that can stand there, and those of that item. And those of all.
fn widths(pieces: &[Piece<'_>], made: &[String]) -> (Vec<[usize; 3]>, usize) {
    let mut widths = vec![[0; 3]; pieces.len()];
    // From the end: columns to the end of the whole, and to the next break.
    let (mut total, mut tail) = (0_usize, 0);
    // Of what is open: the columns behind it, behind the first break in its item, and of the item.
    let mut ends: Vec<(usize, Option<usize>, usize)> = Vec::new();
    for (at, piece) in pieces.iter().enumerate().rev() {
        if let Some(text) = piece.text(made) {
            let columns = text.chars().count();
            total += columns;
            tail += columns;
        }
        match piece {
            Piece::Text(_) | Piece::Made(_) => {}
            Piece::Close => ends.push((total - tail, None, total)),
            Piece::Attach(is_always) => {
                if let Some((_, head, item)) = ends.last_mut() {
                    *head = Some(total - tail);
                    *item = if *is_always { WIDTH } else { total - *item };
                }
            }
            Piece::Open => {
                let (behind, head, item) = ends.pop().unwrap_or_default();
                if let Some(width) = widths.get_mut(at) {
                    let head = head.map_or(WIDTH + 1, |behind| total - behind);
                    *width = [total - behind, head, item];
                }
            }
            Piece::Line(is_blank) | Piece::Last(is_blank) => {
                total += usize::from(*is_blank);
                tail = 0;
            }
        }
    }
    (widths, total)
}
