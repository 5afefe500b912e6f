//! What any store has to do, tried on each there is: SQLite in a file and in memory, PostgreSQL, and rows
//! in maps, which are here to show that nothing but the trait is asked for.

mod state {
    mod journal;
    mod leases;
    mod maps;
    mod memory;
    pub(crate) mod postgres;
    mod rows;
    mod search;
    mod sessions;
    pub(crate) mod shelf;
    mod speed;
    mod staging;
    mod tools;
}
