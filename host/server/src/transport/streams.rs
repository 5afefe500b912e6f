//! A transport over any two streams. Each is read or written on a thread of its own.

use std::io::{self, Read, Write};

use tokio_util::sync::CancellationToken;

use super::{Ends, Input, MessageWriter, Transport};

/// The input and the output.
#[derive(Debug)]
pub struct Streams<I, O>(pub I, pub O);

impl<I, O> Transport for Streams<I, O>
where
    I: Read + Send + 'static,
    O: Write + Send + 'static,
{
    fn open(self, longest: usize, broken: CancellationToken) -> io::Result<Ends> {
        Ok(Ends {
            input: Input::thread(self.0, longest)?,
            outlet: MessageWriter::open(self.1, broken)?,
            // A stream does not reveal whether its reader is gone.
            is_deserted: Box::new(|| false),
        })
    }
}
