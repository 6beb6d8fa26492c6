//! Tests of the committed `upto.wasm`, not of the crate: they see what is deployed. `build.sh` writes it.
mod accounts;
mod authority;
mod bounds;
mod designs;
mod properties;
mod residue;
mod settlement;
mod signed_terms;
mod single_use;
mod tokens;
mod world;
