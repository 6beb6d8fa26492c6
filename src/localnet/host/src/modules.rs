//! Parsed contracts, kept between invocations as stellar-core keeps them: recording mode charges
//! a contract call as a cache hit, so that enforcing without a cache would run over budget.

use crate::{
    context::Context,
    framing::{Failure, FailureKind, Res},
    ledger::{Stored, decode_entry},
};
use soroban_env_host::{
    CompilationContext, Error, ErrorHandler, HostError, ModuleCache, Val,
    budget::{AsBudget, Budget},
    meta,
    xdr::{Hash, LedgerEntryData},
};
use std::cell::RefCell;

/// The engine below never frees a module's code, so the whole cache is dropped once the
/// contracts parsed into it add up to this many bytes of wasm.
const MAX_PARSED_BYTES: usize = 1 << 20;

#[derive(Clone)]
struct Compilation(Budget);

impl AsBudget for Compilation {
    fn as_budget(&self) -> &Budget {
        &self.0
    }
}

impl ErrorHandler for Compilation {
    fn map_err<T, E>(&self, result: Result<T, E>) -> Result<T, HostError>
    where
        Error: From<E>,
        E: std::fmt::Debug,
    {
        result.map_err(|e| HostError::from(Error::from(e)))
    }

    fn error(&self, error: Error, _: &str, _: &[Val]) -> HostError {
        HostError::from(error)
    }
}

impl CompilationContext for Compilation {}

struct Kept {
    cache: ModuleCache,
    parsed_bytes: usize,
}

thread_local! {
    static KEPT: RefCell<Option<Kept>> = const { RefCell::new(None) };
}

/// The cache, with all of these contracts in it.
pub fn cache(context: &Context, codes: &[(Hash, &Stored)]) -> Res<ModuleCache> {
    let compilation = Compilation(context.unmetered()?);
    KEPT.with_borrow_mut(|kept| {
        if kept
            .as_ref()
            .is_some_and(|kept| kept.parsed_bytes > MAX_PARSED_BYTES)
        {
            *kept = None;
        }
        if kept.is_none() {
            let cache = ModuleCache::new(&compilation).map_err(internal)?;
            *kept = Some(Kept {
                cache,
                parsed_bytes: 0,
            });
        }
        let Some(kept) = kept else {
            return Err(Failure::new(FailureKind::Internal, "no module cache"));
        };
        for (hash, stored) in codes {
            add(kept, &compilation, hash, stored)?;
        }
        Ok(kept.cache.clone())
    })
}

fn add(kept: &mut Kept, compilation: &Compilation, hash: &Hash, stored: &Stored) -> Res<()> {
    if kept.cache.contains_module(hash).map_err(internal)? {
        return Ok(());
    }
    let LedgerEntryData::ContractCode(code) = decode_entry(stored)?.data else {
        return Err(Failure::new(
            FailureKind::BadLedger,
            "a code key holds another entry",
        ));
    };
    kept.parsed_bytes += code.code.len();
    let protocol = meta::INTERFACE_VERSION.protocol;
    kept.cache
        .parse_and_cache_module_simple(compilation, protocol, code.code.as_slice())
        .map_err(internal)
}

fn internal(error: HostError) -> Failure {
    Failure::new(
        FailureKind::Internal,
        format!("module cache: {:?}", error.error),
    )
}
