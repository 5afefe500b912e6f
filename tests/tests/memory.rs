//! Random programs that fill their memory, on the native machine and in the component, with limits
//! around what they need. `PIF_RANDOM_FILLINGS=1000` runs so many instead of the default,
//! `PIF_RANDOM_SEED=5` from another seed on.

use anyhow::{Context, Result, ensure};
use pif::limits::Limits;
use pif::request::{Argument, Program};
use pif_tests::fuzz::memory::{examine, is_too_large};
use pif_tests::generate::{Random, filling};
use pif_tests::{component, native};
use std::env;

#[test]
#[ignore = "long"]
#[expect(clippy::print_stderr, reason = "how much was tried is the result")]
fn a_limit_changes_nothing_but_whether_there_is_enough() -> Result<()> {
    let (first, count) = (setting("PIF_RANDOM_SEED", 0)?, setting("PIF_RANDOM_FILLINGS", 100)?);
    let (mut runs, mut too_large) = (0, 0);
    for seed in first..first + count {
        let filling = filling(Random::new(seed));
        let examined = examine(&filling, |_, run, _| {
            runs += 1;
            too_large += u32::from(is_too_large(run));
            Ok(())
        });
        examined.with_context(|| format!("seed {seed}: {filling:?}"))?;
    }
    eprintln!("{count} programs from seed {first}: {runs} runs, {too_large} of them too large");
    ensure!(too_large > runs / 10 && too_large < runs / 10 * 9, "they are too alike");
    Ok(())
}

/// Not only what comes of a run is equal, but also how much memory it has taken.
#[test]
#[ignore = "long"]
fn memory_is_taken_alike_in_the_component() -> Result<()> {
    let (first, count) = (setting("PIF_RANDOM_SEED", 0)?, setting("PIF_RANDOM_FILLINGS", 30)?);
    let sandbox = component::open()?;
    for seed in first..first + count {
        let filling = filling(Random::new(seed));
        let compared = examine(&filling, |limits, run, usage| {
            let inside = component::measured(&sandbox, &filling.program, limits, u64::MAX);
            ensure!(inside == (run.clone(), usage), "{limits:?}: {run:?} {usage:?}\n{inside:?}");
            Ok(())
        });
        compared.with_context(|| format!("seed {seed}: {filling:?}"))?;
    }
    Ok(())
}

/// Lists of items of one shape fill the heap evenly. Where their lengths are just so that it is
/// almost full, a reader that looks further ahead would take more memory.
#[test]
fn lists_of_one_shape_take_memory_alike() -> Result<()> {
    const CODES: [&str; 2] = [
        r#"{"lam":"l","body":{"map":[{"lam":"x","body":{"pair":[{"var":"x"},0]}},{"var":"l"}]}}"#,
        r#"{"lam":"l","body":{"reverse":{"var":"l"}}}"#,
    ];
    const ITEMS: [fn(u32) -> String; 6] = [
        |i| i.to_string(),
        |i| format!("{i}.5"),
        |i| format!(r#""t{i}""#),
        |i| format!(r#"{{"a":{i},"b":[{i}]}}"#),
        |i| format!("[{i},{i}]"),
        |i| format!("123456789012345678901{i}"),
    ];
    let sandbox = component::open()?;
    for n in [1, 50, 223, 225, 448, 896, 897, 898, 899, 900, 901, 902, 903, 904, 1500] {
        for (item, code) in ITEMS.iter().flat_map(|item| CODES.map(|code| (item, code))) {
            let data: Vec<String> = (0..n).map(item).collect();
            let argument = Argument::Data(format!("[{}]", data.join(",")));
            let program = Program { argument, ..Program::term(code) };
            for memory in [1 << 20, 16 << 20] {
                let limits = Limits { fuel: 1 << 20, depth: 100, memory, output: 1 << 20 };
                let here = native::measured(&program, &limits, u64::MAX);
                let inside = component::measured(&sandbox, &program, &limits, u64::MAX);
                ensure!(
                    here.1 == inside.1,
                    "{n} × {} in {memory}, {code}: {here:?}\n{inside:?}",
                    item(0)
                );
            }
        }
    }
    Ok(())
}

fn setting(name: &str, default: u64) -> Result<u64> {
    env::var(name).map_or(Ok(default), |text| Ok(text.parse()?))
}
