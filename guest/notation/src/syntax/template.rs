//! Templates.

use crate::ast::{ExprId, What};
use crate::syntax::lexer::Kind;
use crate::syntax::parser::{Around, Read, Reader};

impl Reader<'_, '_> {
    pub(super) async fn template(&self) -> Read<ExprId> {
        let start = self.token(0).start;
        let close = self.open();
        let mut parts = Vec::new();
        let mut has_holes = false;
        while self.at.get() != close {
            let piece = self.token(0);
            if piece.kind == Kind::Piece {
                let text = self.unquote(piece.start, piece.end)?;
                self.pass(1);
                parts.push(self.add(What::Text(text), piece.start));
                continue;
            }
            has_holes = true;
            let end = self.open();
            if self.at.get() == end {
                let hint = "write `a ${x}`, or `\\${` for the characters";
                return self.wrong(piece.start, "a hole of a template is empty", hint);
            }
            parts.push(self.sequence(Around::default()).await?);
            self.close(end)?;
        }
        self.close(close)?;
        Ok(match parts.as_slice() {
            [] => self.add(What::Text("".into()), start),
            [one] if !has_holes => *one,
            _ => self.add(What::Template(parts), start),
        })
    }
}
