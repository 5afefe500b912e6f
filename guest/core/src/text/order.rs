//! The order of texts.

/// Returns the indices of `count` texts in the order of their bytes. Equal texts keep their order.
pub fn order_of<'t>(count: usize, text: &dyn Fn(usize) -> &'t str) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|a, b| text(*a).cmp(text(*b)));
    order
}
