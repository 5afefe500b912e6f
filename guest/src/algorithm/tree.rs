//! A crit-bit tree (Morrison's PATRICIA, JACM 15(4), 1968, without its threads): keys told apart by
//! the bits in which they differ. A look-up goes through at most as many nodes as the key has bits
//! that is looked up, whatever the others are, and allocates nothing. The keys themselves are kept
//! by who uses it.

/// A node: the number of the bit that its two sides differ in, what is on each, and one of the keys
/// below it.
struct Node {
    bit: u64,
    sides: [Side; 2],
    key: u32,
}

/// What is on a side: twice the number of a node, or twice that of a key and 1.
#[derive(Clone, Copy)]
struct Side(u32);

impl Side {
    fn node(number: usize) -> Self {
        Self(u32::try_from(2 * number).unwrap_or(u32::MAX - 1))
    }

    fn key(number: u32) -> Self {
        Self(2 * number + 1)
    }

    fn number(self) -> u32 {
        self.0 / 2
    }

    fn is_key(self) -> bool {
        self.0 % 2 == 1
    }
}

/// Numbers of keys, less than 2^31. None is the beginning of another.
#[derive(Default)]
pub(crate) struct Tree {
    root: Option<Side>,
    nodes: Vec<Node>,
}

impl Tree {
    /// The key that is like one of so many bits in all those of them that are looked at: the same
    /// one, if that is there at all.
    pub(crate) fn nearest(&self, bits: u64, bit: impl Fn(u64) -> bool) -> Option<u32> {
        let mut side = self.root?;
        while !side.is_key() {
            let node = self.nodes.get(side.number() as usize)?;
            if node.bit >= bits {
                return Some(node.key);
            }
            let [zero, one] = node.sides;
            side = if bit(node.bit) { one } else { zero };
        }
        Some(side.number())
    }

    /// Adds a key, whose first bit that differs from those of `nearest` is given, if there was one.
    pub(crate) fn add(&mut self, key: u32, differs: Option<u64>, bit: impl Fn(u64) -> bool) {
        let (Some(root), Some(differs)) = (self.root, differs) else {
            self.root = Some(Side::key(key));
            return;
        };
        let (mut side, mut above) = (root, None);
        while !side.is_key()
            && let at = side.number() as usize
            && let Some(node) = self.nodes.get(at)
            && node.bit < differs
        {
            let is_one = bit(node.bit);
            let [zero, one] = node.sides;
            above = Some((at, is_one));
            side = if is_one { one } else { zero };
        }
        let new = Side::node(self.nodes.len());
        let sides = if bit(differs) { [side, Side::key(key)] } else { [Side::key(key), side] };
        self.nodes.push(Node { bit: differs, sides, key });
        let place = match above {
            None => self.root.as_mut(),
            Some((at, is_one)) => {
                let node = self.nodes.get_mut(at);
                node.and_then(|node| node.sides.get_mut(usize::from(is_one)))
            }
        };
        if let Some(place) = place {
            *place = new;
        }
    }
}
