//! Counts wrong tokens. Who sends many is blocked for a while. A right token is never refused.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The most addresses that are counted. Beyond them the oldest are forgotten.
const MOST: usize = 10_000;

/// The wrong tokens of each address.
#[derive(Debug)]
pub(super) struct RateLimiter {
    /// How many are allowed within a span.
    most: usize,
    /// The span, and the time that an address is blocked.
    span: Duration,
    counts: Mutex<HashMap<IpAddr, Count>>,
}

#[derive(Debug)]
struct Count {
    since: Instant,
    wrong: usize,
}

impl RateLimiter {
    pub(super) fn new(most: usize, span: Duration) -> Self {
        Self { most, span, counts: Mutex::default() }
    }

    /// Counts a wrong token. Returns the time for which the address is blocked, if it is.
    pub(super) fn count(&self, address: IpAddr, now: Instant) -> Option<Duration> {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let over = |count: &Count| now.duration_since(count.since) >= self.span;
        if counts.len() >= MOST {
            counts.retain(|_, count| !over(count));
        }
        if counts.len() >= MOST {
            let oldest = counts.iter().min_by_key(|(_, count)| count.since);
            if let Some(oldest) = oldest.map(|(address, _)| *address) {
                counts.remove(&oldest);
            }
        }
        let count = counts.entry(network(address)).or_insert(Count { since: now, wrong: 0 });
        if over(count) {
            *count = Count { since: now, wrong: 0 };
        }
        count.wrong += 1;
        if count.wrong == self.most + 1 {
            // The block begins here.
            count.since = now;
        }
        (count.wrong > self.most).then(|| self.span.saturating_sub(now.duration_since(count.since)))
    }
}

/// An address; of IPv6 its network, since each client has one.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let network = u128::from(address) & (u128::MAX << 64);
            IpAddr::V6(network.into())
        }
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_mins(1);

    fn address(text: &str) -> IpAddr {
        text.parse().expect(text)
    }

    #[test]
    fn five_wrong_tokens_block_an_address_for_a_minute() {
        let limiter = RateLimiter::new(5, MINUTE);
        let here = address("192.0.2.1");
        let there = address("192.0.2.2");
        let start = Instant::now();
        for _ in 0..5 {
            assert_eq!(limiter.count(here, start), None);
        }
        let later = start + Duration::from_secs(30);
        assert_eq!(limiter.count(here, later), Some(MINUTE));
        assert_eq!(limiter.count(there, later), None, "others are not blocked");
        let still = later + Duration::from_secs(20);
        assert_eq!(limiter.count(here, still), Some(Duration::from_secs(40)));
        assert_eq!(limiter.count(here, later + MINUTE), None);
    }

    #[test]
    fn a_network_counts_as_one() {
        let limiter = RateLimiter::new(1, MINUTE);
        let now = Instant::now();
        assert_eq!(limiter.count(address("2001:db8::1"), now), None);
        assert!(limiter.count(address("2001:db8::2"), now).is_some());
        assert_eq!(limiter.count(address("2001:db8:0:1::1"), now), None);
        assert_eq!(limiter.count(address("::ffff:192.0.2.1"), now), None);
        assert!(limiter.count(address("192.0.2.1"), now).is_some());
    }

    #[test]
    fn the_counts_are_bounded() {
        let limiter = RateLimiter::new(1, MINUTE);
        let now = Instant::now();
        for n in 0..20_000_u32 {
            let address = IpAddr::V4(n.to_be_bytes().into());
            limiter.count(address, now + Duration::from_millis(u64::from(n)));
        }
        assert!(limiter.counts.lock().expect("counts").len() <= MOST);
    }
}
