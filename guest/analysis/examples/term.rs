use std::io::BufRead;
fn main() {
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let mut terms = pif_language::term::Terms::default();
        let root = pif_notation::submitted(&mut terms, &line, &["data", "input"]).unwrap().root;
        let mut powers = Default::default();
        let _ = &mut powers as &mut pif_core::json::decimal::Powers;
        println!("{}", pif_core::json::write::text(&terms.tape, terms.node(root).token, 5000));
    }
}
