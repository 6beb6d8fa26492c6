//! The unmodified Soroban host and its simulation behind a small C interface, built for
//! wasm32-unknown-unknown. The ledger stays with the embedder, behind one callback.
//!
//! Messages are length-prefixed binary (see `framing`). Whatever is called "xdr" is the plain
//! XDR of the named Stellar type. Each operation's module states its input and output.

mod context;
mod cost_params;
mod exports;
mod fees;
mod footprint;
mod framing;
mod invoke;
mod ledger;
mod limits;
mod metrics;
mod modules;
mod report;
mod simulate;
mod ttl;
