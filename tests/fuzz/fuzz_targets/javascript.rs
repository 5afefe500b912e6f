#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Err(error) = pif_tests::fuzz::javascript::check(bytes) {
        panic!("{error:?}");
    }
});
