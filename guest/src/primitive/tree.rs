//! A crit-bit tree (Morrison's PATRICIA, JACM 15(4), 1968, without its threads): keys told apart by
//! the bits in which they differ. A look-up goes through at most as many nodes as a key has bits,
//! whatever the keys are, and allocates nothing. The keys themselves are kept by who uses it.

/// A node: the number of the bit that its two sides differ in, and what is on each.
struct Node {
    bit: u64,
    sides: [Side; 2],
}

/// What is on a side: the number of a node, or that of a key.
#[derive(Clone, Copy)]
enum Side {
    Node(u32),
    Key(u32),
}

/// Numbers of keys. None is the beginning of another.
#[derive(Default)]
pub(crate) struct Tree {
    root: Option<Side>,
    nodes: Vec<Node>,
}

impl Tree {
    /// The key that is like another one in all bits that are looked at: the same one, if that is
    /// there at all.
    pub(crate) fn nearest(&self, bit: impl Fn(u64) -> bool) -> Option<u32> {
        let mut side = self.root?;
        loop {
            match side {
                Side::Key(key) => return Some(key),
                Side::Node(at) => {
                    let node = self.nodes.get(at as usize)?;
                    let [zero, one] = node.sides;
                    side = if bit(node.bit) { one } else { zero };
                }
            }
        }
    }

    /// Adds a key, whose first bit that differs from those of `nearest` is given, if there was one.
    pub(crate) fn add(&mut self, key: u32, differs: Option<u64>, bit: impl Fn(u64) -> bool) {
        let (Some(root), Some(differs)) = (self.root, differs) else {
            self.root = Some(Side::Key(key));
            return;
        };
        let (mut side, mut above) = (root, None);
        while let Side::Node(at) = side
            && let Some(node) = self.nodes.get(at as usize)
            && node.bit < differs
        {
            let is_one = bit(node.bit);
            let [zero, one] = node.sides;
            above = Some((at, is_one));
            side = if is_one { one } else { zero };
        }
        let sides = if bit(differs) { [side, Side::Key(key)] } else { [Side::Key(key), side] };
        let new = Side::Node(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(Node { bit: differs, sides });
        let place = match above {
            None => self.root.as_mut(),
            Some((at, is_one)) => self
                .nodes
                .get_mut(at as usize)
                .and_then(|node| node.sides.get_mut(usize::from(is_one))),
        };
        if let Some(place) = place {
            *place = new;
        }
    }
}
