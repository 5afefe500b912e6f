//! Types read from their text.

use crate::shape::{Member, Shape, Signature};

/// Deepest nesting that is read.
const DEEPEST: u32 = 64;

/// Reads a type, as types are written. Says what is wrong, and at which byte.
pub fn read(text: &str) -> Result<Shape, (String, usize)> {
    let mut reader = Reader { text, at: 0, depth: 0, variables: Vec::new() };
    let shape = reader.shape()?;
    reader.blanks();
    if reader.at < text.len() {
        return reader.refuse("the end");
    }
    Ok(shape)
}

type Read<T> = Result<T, (String, usize)>;

/// A text, and how far it has been read.
struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: u32,
    /// The variables of types in sight.
    variables: Vec<String>,
}

impl<'t> Reader<'t> {
    fn refuse<T>(&self, wanted: &str) -> Read<T> {
        Err((format!("{wanted} is missing"), self.at))
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Reads a mark, if it comes next.
    fn takes(&mut self, mark: &str) -> bool {
        self.blanks();
        let is_next = self.rest().starts_with(mark);
        self.at += if is_next { mark.len() } else { 0 };
        is_next
    }

    fn needs(&mut self, mark: &str) -> Read<()> {
        if self.takes(mark) { Ok(()) } else { self.refuse(&format!("`{mark}`")) }
    }

    /// Reads a name, if one comes next.
    fn name(&mut self) -> Option<&'t str> {
        self.blanks();
        let rest = self.rest();
        let is_inner = |c: char| c == '_' || c == '$' || c.is_alphanumeric();
        let end = rest.find(|c| !is_inner(c)).unwrap_or(rest.len());
        let name = rest.get(..end).filter(|name| !name.is_empty())?;
        self.at += end;
        Some(name)
    }

    /// Reads a text in quotes, if one comes next.
    fn quoted(&mut self) -> Read<Option<String>> {
        if !self.takes("\"") {
            return Ok(None);
        }
        let mut text = String::new();
        let mut characters = self.rest().char_indices();
        while let Some((at, c)) = characters.next() {
            match c {
                '"' => {
                    self.at += at + 1;
                    return Ok(Some(text));
                }
                '\\' => match characters.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 't')) => text.push('\t'),
                    Some((_, other)) => text.push(other),
                    None => break,
                },
                _ => text.push(c),
            }
        }
        self.refuse("the closing quote")
    }

    fn shape(&mut self) -> Read<Shape> {
        if self.depth >= DEEPEST {
            return Err(("the type is nested too deep".to_owned(), self.at));
        }
        self.depth += 1;
        let known = self.variables.len();
        let shape = if self.begins_function() { self.function() } else { self.union() };
        self.variables.truncate(known);
        self.depth -= 1;
        shape
    }

    /// Whether a function comes next, and no type in parentheses.
    fn begins_function(&mut self) -> bool {
        self.blanks();
        if self.rest().starts_with('<') {
            return true;
        }
        let before = self.at;
        let is_function = self.takes("(") && (self.takes(")") || self.parameter().is_some());
        self.at = before;
        is_function
    }

    fn function(&mut self) -> Read<Shape> {
        let mut variables = Vec::new();
        if self.takes("<") {
            while let Some(name) = self.name() {
                variables.push(name.to_owned());
                if !self.takes(",") {
                    break;
                }
            }
            self.needs(">")?;
        }
        self.variables.extend(variables.iter().cloned());
        self.needs("(")?;
        let mut parameters = Vec::new();
        while let Some(name) = self.parameter() {
            parameters.push((name, self.shape()?));
            if !self.takes(",") {
                break;
            }
        }
        self.needs(")")?;
        self.needs("=>")?;
        let gives = self.shape()?;
        Ok(Shape::Function(Box::new(Signature { variables, parameters, gives })))
    }

    /// Reads the name of a parameter and the colon, if they come next. Three points before it and a `?`
    /// behind it belong to the name.
    fn parameter(&mut self) -> Option<String> {
        let rest = if self.takes("...") { "..." } else { "" };
        let name = self.name()?;
        let optional = if self.takes("?") { "?" } else { "" };
        self.takes(":").then(|| format!("{rest}{name}{optional}"))
    }

    fn union(&mut self) -> Read<Shape> {
        let mut shapes = vec![self.both()?];
        while self.takes("|") {
            shapes.push(self.both()?);
        }
        Ok(Shape::union(shapes))
    }

    fn both(&mut self) -> Read<Shape> {
        let mut shape = self.postfix()?;
        while self.takes("&") {
            shape = Shape::Both(Box::new([shape, self.postfix()?]));
        }
        Ok(shape)
    }

    fn postfix(&mut self) -> Read<Shape> {
        let mut shape = self.primary()?;
        while self.takes("[]") {
            shape = Shape::List(Box::new(shape));
        }
        Ok(shape)
    }

    fn primary(&mut self) -> Read<Shape> {
        if let Some(text) = self.quoted()? {
            return Ok(Shape::Literal(text));
        }
        if self.takes("(") {
            let shape = self.shape()?;
            self.needs(")")?;
            return Ok(shape);
        }
        if self.takes("[") {
            return self.tuple();
        }
        if self.takes("{") {
            return self.record();
        }
        let Some(name) = self.name() else { return self.refuse("a type") };
        Ok(match name {
            "any" => Shape::Any,
            "never" => Shape::Never,
            "null" => Shape::Null,
            "boolean" => Shape::Boolean,
            "integer" => Shape::Integer,
            "float" => Shape::Float,
            "number" => Shape::Number,
            "text" => Shape::Text,
            "Date" => Shape::Date,
            "RegExp" => Shape::Pattern,
            "code" => Shape::Code,
            "continuation" => Shape::Continuation,
            "Map" => {
                self.needs("<")?;
                let key = self.shape()?;
                self.needs(",")?;
                let value = self.shape()?;
                self.needs(">")?;
                Shape::Map(Box::new([key, value]))
            }
            "Set" => {
                self.needs("<")?;
                let element = self.shape()?;
                self.needs(">")?;
                Shape::Set(Box::new(element))
            }
            name if self.variables.iter().any(|it| it == name) => Shape::Variable(name.to_owned()),
            _ => return self.refuse("a type that is known"),
        })
    }

    fn tuple(&mut self) -> Read<Shape> {
        let mut shapes = Vec::new();
        while !self.takes("]") {
            if !shapes.is_empty() {
                self.needs(",")?;
            }
            shapes.push(self.shape()?);
        }
        Ok(Shape::Tuple(shapes))
    }

    fn record(&mut self) -> Read<Shape> {
        if self.takes("[") {
            self.name();
            self.needs(":")?;
            self.needs("text")?;
            self.needs("]")?;
            self.needs(":")?;
            let shape = self.shape()?;
            self.needs("}")?;
            return Ok(Shape::Dictionary(Box::new(shape)));
        }
        let mut members = Vec::new();
        while !self.takes("}") {
            if !members.is_empty() {
                self.needs(",")?;
            }
            let quoted = self.quoted()?;
            let name = quoted.or_else(|| self.name().map(str::to_owned));
            let Some(name) = name else { return self.refuse("a key") };
            let is_optional = self.takes("?");
            self.needs(":")?;
            members.push(Member { name, shape: self.shape()?, is_optional });
        }
        Ok(Shape::Record(members))
    }
}
