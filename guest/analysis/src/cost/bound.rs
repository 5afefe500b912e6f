//! Bounds: sums of products of sizes and of their logarithms, with coefficients that are exact.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;

/// What a coefficient counts: so many of these are one.
const ONE: u128 = 1024;

/// Bits of the largest size: an input has at most 16 MiB, and a list at most so many elements.
const BITS_OF_SIZE: u64 = 26;

/// A coefficient that counts as none.
const ENDLESS: u128 = u128::MAX;
/// Most products that are made at once.
const MOST_PRODUCTS: usize = 4096;
/// Most terms of a bound that is told.
const MOST_TERMS: usize = 60;
/// Most terms of what has been paid so far: more are never told in the end.
const MOST_PAID: usize = 256;

/// A size: its number among the variables of a cost.
pub type Size = u32;

/// A factor of a product.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Factor {
    /// A size.
    Size(Size),
    /// The logarithm to base 2 of a bound, at least 0.
    Log(Rc<Bound>),
    /// The square root of a bound.
    Root(Rc<Bound>),
}

/// Factors, each as often as it stands, in order.
type Product = Vec<Factor>;

/// A sum of products with coefficients that are not negative.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bound {
    /// Of each product the coefficient, in parts of `ONE`. Copies share them until they change.
    terms: Rc<BTreeMap<Product, u128>>,
}

impl From<u64> for Bound {
    fn from(n: u64) -> Self {
        Self::ratio(n, 1)
    }
}

impl Bound {
    /// A constant fraction, rounded up to what a coefficient can hold.
    #[must_use]
    pub fn ratio(n: u64, of: u64) -> Self {
        let coefficient = (u128::from(n) * ONE).div_ceil(u128::from(of.max(1)));
        Self::of(Vec::new(), coefficient)
    }

    /// A size.
    #[must_use]
    pub fn size(size: Size) -> Self {
        Self::of(vec![Factor::Size(size)], ONE)
    }

    fn of(product: Product, coefficient: u128) -> Self {
        let terms = (coefficient > 0).then_some((product, coefficient)).into_iter().collect();
        Self { terms: Rc::new(terms) }
    }

    /// Whether it is nothing.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// The whole part of a constant, rounded up; none if it depends on sizes.
    #[must_use]
    pub fn constant(&self) -> Option<u64> {
        match self.terms.len() {
            0 => Some(0),
            1 => {
                let coefficient = self.terms.get(&Vec::new())?;
                u64::try_from(coefficient.div_ceil(ONE)).ok()
            }
            _ => None,
        }
    }

    /// Whether it is too large to be told.
    #[must_use]
    pub fn is_endless(&self) -> bool {
        let is_many = self.terms.len() > MOST_TERMS;
        is_many || self.terms.values().any(|it| *it >= ENDLESS >> 40)
    }

    /// Whether it has so many terms that nothing is told of it in the end.
    pub(super) fn is_beyond_telling(&self) -> bool {
        self.terms.len() > MOST_PAID
    }

    /// Adds another.
    pub fn add(&mut self, other: &Self) {
        if self.is_zero() {
            self.terms = Rc::clone(&other.terms);
            return;
        }
        if other.is_zero() {
            return;
        }
        let terms = Rc::make_mut(&mut self.terms);
        for (product, coefficient) in &*other.terms {
            match terms.get_mut(product) {
                Some(sum) => *sum = sum.saturating_add(*coefficient),
                None => _ = terms.insert(product.clone(), *coefficient),
            }
        }
    }

    /// The sum of both.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        sum.add(other);
        sum
    }

    /// So many times the bound.
    #[must_use]
    pub fn times(&self, count: u64) -> Self {
        self.by(&Self::from(count))
    }

    /// The product of both.
    #[must_use]
    pub fn by(&self, other: &Self) -> Self {
        if self.terms.len() * other.terms.len() > MOST_PRODUCTS {
            return Self::of(Vec::new(), ENDLESS);
        }
        let mut product = Self::default();
        for (first, a) in &*self.terms {
            for (second, b) in &*other.terms {
                let mut factors = [&first[..], &second[..]].concat();
                factors.sort_unstable();
                let coefficient = a.saturating_mul(*b).div_ceil(ONE);
                product.add(&Self::of(factors, coefficient));
            }
        }
        product
    }

    /// A bound of both: of each product the greater coefficient.
    #[must_use]
    pub fn cover(&self, other: &Self) -> Self {
        if Rc::ptr_eq(&self.terms, &other.terms) || other.is_zero() {
            return self.clone();
        }
        let mut most = self.clone();
        for (product, coefficient) in &*other.terms {
            if self.terms.get(product).is_none_or(|known| known < coefficient) {
                Rc::make_mut(&mut most.terms).insert(product.clone(), *coefficient);
            }
        }
        most
    }

    /// The logarithm to base 2, rounded up. Of a sum of products it is at most that of the greatest
    /// coefficient and that of the products without theirs.
    #[must_use]
    pub fn log(&self) -> Self {
        if let Some(constant) = self.constant() {
            return Self::from(u64::from(constant.max(1).next_power_of_two().ilog2()));
        }
        let mut products = self.clone();
        let most = products.terms.values().copied().max().unwrap_or(ONE);
        let terms = Rc::make_mut(&mut products.terms);
        let has_constant = terms.remove(&Vec::new()).is_some();
        terms.values_mut().for_each(|it| *it = ONE);
        let bits = u64::from(most.div_ceil(ONE).next_power_of_two().ilog2());
        let log = Self::of(vec![Factor::Log(Rc::new(products))], ONE);
        log.plus(&Self::from(bits + 1 + u64::from(has_constant)))
    }

    /// The square root, rounded up.
    #[must_use]
    pub fn root(&self) -> Self {
        match self.constant() {
            Some(constant) => Self::from(constant.isqrt() + 1),
            None => Self::of(vec![Factor::Root(Rc::new(self.clone()))], ONE),
        }
    }

    /// The sizes in it, those in logarithms too.
    #[must_use]
    pub fn sizes(&self) -> BTreeSet<Size> {
        let mut sizes = BTreeSet::new();
        for factor in self.terms.keys().flatten() {
            match factor {
                Factor::Size(size) => _ = sizes.insert(*size),
                Factor::Log(of) | Factor::Root(of) => sizes.extend(of.sizes()),
            }
        }
        sizes
    }

    /// The bound with another in place of a size.
    #[must_use]
    pub fn with(&self, size: Size, other: &Self) -> Self {
        if !self.sizes().contains(&size) {
            return self.clone();
        }
        let mut sum = Self::default();
        for (product, coefficient) in &*self.terms {
            let mut made = Self::of(Vec::new(), *coefficient);
            for factor in product {
                let factor = match factor {
                    Factor::Size(it) if *it == size => other.clone(),
                    Factor::Log(of) if of.sizes().contains(&size) => of.with(size, other).log(),
                    Factor::Root(of) if of.sizes().contains(&size) => of.with(size, other).root(),
                    known => Self::of(vec![known.clone()], ONE),
                };
                made = made.by(&factor);
            }
            sum.add(&made);
        }
        sum
    }

    /// What the bound adds to a size: the rest, if the size stands in it just once and by itself.
    #[must_use]
    pub fn beyond(&self, size: Size) -> Option<Self> {
        let mut rest = self.clone();
        match Rc::make_mut(&mut rest.terms).remove(&vec![Factor::Size(size)]) {
            None | Some(0..=ONE) => {}
            Some(_) => return None,
        }
        (!rest.sizes().contains(&size)).then_some(rest)
    }

    /// The bits of the greatest integer that the bound can come to: no size of an input has more than
    /// `BITS_OF_SIZE`.
    #[must_use]
    pub fn bits(&self) -> u64 {
        let bits = |(product, coefficient): (&Product, &u128)| {
            let own = u64::from((coefficient / ONE).max(1).ilog2()) + 1;
            own + BITS_OF_SIZE * product.len() as u64
        };
        let most = self.terms.iter().map(bits).max().unwrap_or(1);
        most + u64::from(self.terms.len().max(1).ilog2())
    }

    /// What is left of the bound without another one.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        let mut rest = self.clone();
        let terms = Rc::make_mut(&mut rest.terms);
        for (product, coefficient) in &*other.terms {
            if let Some(known) = terms.get_mut(product) {
                *known = known.saturating_sub(*coefficient);
            }
        }
        terms.retain(|_, coefficient| *coefficient > 0);
        rest
    }

    /// The products, each with its coefficient, those with more factors first.
    fn in_order(&self) -> Vec<(&Product, u128)> {
        let mut all: Vec<(&Product, u128)> = self.terms.iter().map(|it| (it.0, *it.1)).collect();
        all.sort_by_key(|(product, _)| product.len());
        all
    }

    /// The value for sizes, rounded up.
    #[must_use]
    pub fn at(&self, sizes: &dyn Fn(Size) -> u64) -> f64 {
        let mut sum = 0.0;
        for (product, coefficient) in &*self.terms {
            #[expect(clippy::cast_precision_loss, reason = "a bound is shown, not counted")]
            let mut value = *coefficient as f64 / ONE as f64;
            for factor in product {
                #[expect(clippy::cast_precision_loss, reason = "a bound is shown, not counted")]
                let factor = match factor {
                    Factor::Size(size) => sizes(*size) as f64,
                    Factor::Log(of) => of.at(sizes).max(1.0).log2(),
                    Factor::Root(of) => of.at(sizes).max(0.0).sqrt(),
                };
                value *= factor;
            }
            sum += value;
        }
        sum
    }

    /// The bound as people write it, with these names.
    #[must_use]
    pub fn text(&self, name: &dyn Fn(Size) -> String) -> String {
        let mut parts = Vec::new();
        for (product, coefficient) in self.in_order() {
            let number = Number(coefficient).to_string();
            let mut factors = Vec::new();
            if product.is_empty() || coefficient != ONE {
                factors.push(number);
            }
            factors.extend(powers(product, name, &|inner| format!("log2({inner})")));
            parts.push(factors.join("·"));
        }
        if parts.is_empty() { "0".to_owned() } else { parts.join(" + ") }
    }

    /// The products that no other one outgrows, without coefficients. Sizes that are left out count
    /// as one.
    #[must_use]
    pub fn class(
        &self,
        is_left_out: &dyn Fn(Size) -> bool,
        name: &dyn Fn(Size) -> String,
    ) -> String {
        let mut products: BTreeSet<Product> = BTreeSet::new();
        for product in self.terms.keys() {
            let is_counted = |it: &&Factor| match it {
                Factor::Size(size) => !is_left_out(*size),
                Factor::Log(of) => !of.sizes().iter().all(|it| is_left_out(*it)),
                // Only digits of integers have one.
                Factor::Root(_) => false,
            };
            products.insert(product.iter().filter(is_counted).map(simple).collect());
        }
        let outgrown = |it: &Product| products.iter().any(|other| other != it && grows(it, other));
        let mut most: Vec<&Product> = products.iter().filter(|it| !outgrown(it)).collect();
        most.sort_by_key(|it| it.len());
        let log = |inner: &str| {
            if inner.chars().count() == 1 {
                format!("log {inner}")
            } else {
                format!("log({inner})")
            }
        };
        let texts: Vec<String> = most.iter().map(|it| powers(it, name, &log).join(" ")).collect();
        let text = texts.join(" + ");
        if text.is_empty() { "1".to_owned() } else { text }
    }
}

/// The logarithm of a sum or of a product grows as that of its largest size.
fn simple(factor: &Factor) -> Factor {
    match factor {
        Factor::Log(of) => {
            let first = of.sizes().first().copied().unwrap_or_default();
            Factor::Log(Rc::new(Bound::size(first)))
        }
        other => other.clone(),
    }
}

/// Whether a product grows no faster than another one.
fn grows(slow: &Product, fast: &Product) -> bool {
    let mut left: Vec<&Factor> = fast.iter().collect();
    for factor in slow {
        let place = left.iter().position(|it| *it == factor).or_else(|| {
            let Factor::Log(of) = factor else { return None };
            let sizes = of.sizes();
            left.iter().position(|it| matches!(it, Factor::Size(size) if sizes.contains(size)))
        });
        match place {
            Some(place) => _ = left.swap_remove(place),
            None => return false,
        }
    }
    true
}

/// The factors of a product, each with its power.
fn powers(
    product: &Product,
    name: &dyn Fn(Size) -> String,
    log: &dyn Fn(&str) -> String,
) -> Vec<String> {
    let mut counts: Vec<(&Factor, usize)> = Vec::new();
    for factor in product {
        match counts.iter_mut().find(|it| it.0 == factor) {
            Some(known) => known.1 += 1,
            None => counts.push((factor, 1)),
        }
    }
    let written = |(factor, count): (&Factor, usize)| {
        let text = match factor {
            Factor::Size(size) => name(*size),
            Factor::Log(of) => log(&of.text(name)),
            Factor::Root(of) => format!("sqrt({})", of.text(name)),
        };
        if count > 1 { format!("{text}^{count}") } else { text }
    };
    counts.into_iter().map(written).collect()
}

/// A coefficient, as a decimal.
struct Number(u128);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hundredths = (self.0 * 100).div_ceil(ONE);
        let (whole, rest) = (hundredths / 100, hundredths % 100);
        match rest {
            0 => write!(f, "{whole}"),
            rest if rest % 10 == 0 => write!(f, "{whole}.{}", rest / 10),
            rest => write!(f, "{whole}.{rest:02}"),
        }
    }
}
