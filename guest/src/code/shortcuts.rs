//! Shortcuts: single operations that do two or more which often follow one another. Without them
//! everything is as it is, and takes longer.

use super::op::Op;

/// Lets operations from `entry` on do what the one after them does as well, or the one that they
/// lead to; the last ones first, so that this may be one that does more itself.
pub(crate) fn fuse(ops: &mut [Op], entry: usize) {
    for at in (entry..ops.len()).rev() {
        let next = match ops.get(at) {
            Some(Op::Jump { to, .. } | Op::JumpNotEqualLiteral { to, .. }) => *to as usize,
            _ => at + 1,
        };
        fuse_with(ops, at, next);
        // It has done what follows; it may do what it leads to as well.
        if let Some(Op::LessLiteralReturn { to, .. }) = ops.get(at) {
            fuse_with(ops, at, *to as usize);
        }
    }
}

fn fuse_with(ops: &mut [Op], at: usize, next: usize) {
    let next = ops.get(next..).unwrap_or_default();
    let fused = ops.get(at).map(|op| fused(*op, at, next));
    if let (Some(op), Some(fused)) = (ops.get_mut(at), fused) {
        *op = fused;
    }
}

/// The operation that does `op`, which may itself do several, and then, without another
/// dispatch, the first of `next`, if there is one: `next` follows, or is what a branch leads to.
/// It takes the place of `op`; `next` stays where it is, so that jumps to it and whatever cannot
/// be done fast find the two as they were.
fn fused(op: Op, at: usize, next: &[Op]) -> Op {
    match (op, next) {
        (Op::Add { d: sum, a, b }, &[Op::FoldNext { d, cost, body }, ..])
            if sum == d + 3
                && body as usize == at
                && [[d, d + 2], [d + 2, d]].contains(&[a, b]) =>
        {
            Op::SumNext { d, a, b, cost }
        }
        (
            Op::JumpNotEqualLiteral { a: 0, n, to },
            &[Op::AddLiteralTail { d, a: 0, .. }, Op::TailSelfPairAdd { base, a, b, back, .. }, ..],
        ) if base == d
            && d > 1
            && [[0, 1], [1, 0]].contains(&[a, b])
            && to as usize + 1 == at + usize::from(back) =>
        {
            Op::CountTail { n, to }
        }
        (Op::Add { d: sum, a, b }, &[Op::FoldNext { d, cost, body }, ..])
            if sum == d + 3
                && let Some(back) = distance(body, at) =>
        {
            Op::AddNext { d, a, b, cost, back }
        }
        (Op::Binary { form, d, a, b, cost }, [Op::FoldNext { .. }, ..]) => {
            Op::BinaryNext { form, d, a, b, cost }
        }
        (Op::Cons { d: list, a, b }, &[Op::FoldNext { d, cost, body }, ..])
            if list == d + 3
                && let Some(back) = distance(body, at) =>
        {
            Op::ConsNext { d, a, b, cost, back }
        }
        (Op::Pay { cost }, [Op::FoldNext { .. }, ..]) => Op::PayNext { cost },
        (Op::Jump { to, cost }, [Op::FoldNext { .. }, ..]) => Op::JumpNext { to, cost },
        (Op::AddLiteral { d, a, n }, [Op::TailSelfPairAdd { .. }, ..]) => {
            Op::AddLiteralTail { d, a, n }
        }
        (Op::JumpNotEqualLiteral { a, n, to }, [Op::AddLiteralTail { .. }, ..]) => {
            Op::UnequalLiteralTail { a, n, to }
        }
        (Op::JumpNotEqualLiteral { a, n, to }, [Op::CallSelfAdd { .. }, ..]) => {
            Op::UnequalLiteralCall { a, n, to }
        }
        (Op::Integer { d, n }, [Op::Mul { .. }, ..]) => Op::IntegerMul { d, n },
        (Op::Integer { d, n }, [Op::Return { .. }, ..]) => Op::IntegerReturn { d, n },
        (Op::Add { d, a, b }, [Op::ConsNext { .. }, ..]) => Op::AddCons { d, a, b },
        (
            Op::JumpNotLessLiteral { a, n, to },
            [Op::Return { .. } | Op::IntegerReturn { .. }, ..],
        ) => Op::LessLiteralReturn { a, n, to },
        (Op::LessLiteralReturn { a, n, to }, [Op::CallSelfAdd { .. }, ..]) => {
            Op::LessLiteralReturnCall { a, n, to }
        }
        _ => op,
    }
}

/// How many operations there are from one to a later one, if they can be told in so few bits.
fn distance(from: u32, to: usize) -> Option<u16> {
    to.checked_sub(from as usize)?.try_into().ok()
}
