use std::io::BufRead;
fn main() {
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let request = pif_analysis::Request { code: &line, ..Default::default() };
        match pif_analysis::analyze(&request) {
            Ok(a) => {
                println!("{line}\n    {}", a.shape);
                for p in &a.parameters {
                    println!("    accepts {}: {}", p.name, p.accepted);
                }
                for f in &a.fails {
                    println!(
                        "    FAILS {:?} at {} always {} {:?}",
                        f.code, f.at, f.always, f.excerpt
                    );
                }
                if a.gave_up {
                    println!("    gave up");
                }
            }
            Err(f) => println!("{line}\n   fault {f:?}"),
        }
    }
}
