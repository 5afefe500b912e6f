//! Names during compilation: their places, and the values that closures must capture.

use crate::algorithm::radix;
use crate::code::{Place, Scope};
use crate::compile::compiler::{Compiler, Failed};
use pif_core::limits::to_u32;
use pif_language::term::{NameId, TermId};

/// Most captures and scope entries of one compilation. More is refused as `too-large`: nested
/// functions that use each other's variables can need space out of proportion to their text.
const MOST_WORK: usize = 1 << 22;

impl Compiler<'_> {
    pub(super) fn bind(&mut self, name: NameId, place: Place) {
        self.bindings.push(name, self.functions.len(), place);
    }

    pub(super) fn unbind(&mut self) {
        self.bindings.pop();
    }

    pub(super) fn bound_names(&self) -> Vec<NameId> {
        let outer = self.outer_names().iter().map(|(name, _)| *name);
        outer.chain(self.bindings.names()).collect()
    }

    /// Finds a variable. Functions between its binder and here capture it.
    pub(super) fn look_up(&mut self, name: NameId) -> Result<Option<Place>, Failed> {
        let found = self.bindings.find(name).or_else(|| Some((0, self.outer(name)?)));
        let Some((level, mut place)) = found else { return Ok(None) };
        if let Place::Constant(_) = place {
            if self.image.sources.is_some() {
                let functions = self.functions.iter_mut().skip(level);
                functions.for_each(|function| function.note(name, place));
            }
            return Ok(Some(place));
        }
        let here = self.functions.len();
        let captured_at = |f: &crate::compile::compiler::Function| f.captured(name);
        let mut from = level;
        for above in (level..here).rev() {
            if let Some(captured) = self.functions.get(above).and_then(captured_at) {
                (place, from) = (captured, above + 1);
                break;
            }
        }
        for function in self.functions.iter_mut().skip(from) {
            self.bindings.work += 1;
            place = function.capture(place)?;
            function.note(name, place);
        }
        if self.bindings.work > MOST_WORK { Err(Failed::Entangled) } else { Ok(Some(place)) }
    }

    /// Returns the names at the `eval` whose term is compiled. There may be many names and many
    /// such terms, so each name is looked up when it occurs.
    fn outer_names(&self) -> &[(NameId, Place)] {
        let scope = self.unit.scope.and_then(|scope| self.image.scopes.get(scope as usize));
        scope.map_or(&[], |scope| &scope.names)
    }

    fn outer(&self, name: NameId) -> Option<Place> {
        let names = self.outer_names();
        let at = names.binary_search_by_key(&name, |(name, _)| *name).ok()?;
        names.get(at).map(|(_, place)| *place)
    }

    /// Makes the scope of an `eval`: all names visible here.
    pub(super) fn scope(&mut self, term: TermId) -> Result<u16, Failed> {
        let mut names = self.bound_names();
        radix::sort(&mut names, |name| u64::from(*name));
        names.dedup();
        self.bindings.work += names.len();
        if self.bindings.work > MOST_WORK {
            return Err(Failed::Entangled);
        }
        let mut visible = Vec::with_capacity(names.len());
        for name in names {
            if let Some(place) = self.look_up(name)? {
                visible.push((name, place));
            }
        }
        let index = u16::try_from(self.image.scopes.len()).map_err(|_| Failed::Entangled)?;
        let site = self.unit.site.unwrap_or(term);
        self.image.scopes.push(Scope { names: visible, site });
        Ok(index)
    }
}

impl crate::compile::compiler::Function {
    fn captured(&self, name: NameId) -> Option<Place> {
        self.places.get(self.captured.get(name)? as usize).copied()
    }

    fn note(&mut self, name: NameId, place: Place) {
        if self.captured(name).is_none() {
            self.captured.insert(name, to_u32(self.places.len()));
            self.places.push(place);
        }
    }

    fn capture(&mut self, place: Place) -> Result<Place, Failed> {
        let index = u16::try_from(self.captures.len()).map_err(|_| Failed::Entangled)?;
        self.captures.push(place);
        Ok(Place::Captured(index))
    }
}
