use pif_guest::{limits::Limits, machine::Machine, request::*};
fn main() {
    let mut args = std::env::args().skip(1);
    let code = args.next().unwrap();
    let mut p = Program::term(code);
    if let Some(i) = args.next() {
        p.argument = Argument::Input(i);
    }
    for t in args {
        let (n, s) = t.split_once('=').unwrap();
        if n == "RUN" {
            p.code = Source::Tool(s.into());
        } else {
            p.tools.push((n.into(), s.into()));
        }
    }
    let l = Limits { fuel: 1_000_000_000, depth: 1_000_000, memory: 64 << 20, output: 1 << 20 };
    let t = std::time::Instant::now();
    match Machine::start(p, l) {
        Err(f) => println!("start: {f}"),
        Ok(mut m) => {
            let s = m.resume(Answer::None, u64::MAX);
            println!("{:?} {:?} {:?}", s, m.usage(), t.elapsed());
        }
    }
}
