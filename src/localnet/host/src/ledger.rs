//! The embedder's ledger, behind one synchronous import.

use crate::framing::{Failure, FailureKind, Res, decode, encode};
use soroban_env_host::{
    HostError,
    storage::{EntryWithLiveUntil, SnapshotSource},
    xdr::{LedgerEntry, LedgerKey, ScErrorCode, ScErrorType},
};
use std::rc::Rc;

#[link(wasm_import_module = "env")]
unsafe extern "C" {
    /// Answers 0 when there is no such entry, else `pointer << 32 | length` of a buffer from
    /// `host_alloc` that holds u32 live-until (0 = has none) and the LedgerEntry XDR. The buffer
    /// passes to the callee. Expired entries are answered too: the host decides what they mean.
    fn ledger_get(pointer: *const u8, length: usize) -> u64;
    fn log(pointer: *const u8, length: usize);
}

/// Says one line to the embedder; only for what has no place in an answer.
pub fn say(line: &str) {
    unsafe { log(line.as_ptr(), line.len()) }
}

/// An entry as stored: its XDR undecoded, and its last live ledger if it is of a kind with one.
#[derive(Clone)]
pub struct Stored {
    pub xdr: Vec<u8>,
    pub live_until: Option<u32>,
}

pub fn lookup(key_xdr: &[u8]) -> Res<Option<Stored>> {
    let answer = unsafe { ledger_get(key_xdr.as_ptr(), key_xdr.len()) };
    if answer == 0 {
        return Ok(None);
    }
    let (pointer, length) = ((answer >> 32) as usize as *mut u8, answer as u32 as usize);
    let mut buffer = unsafe { Vec::from_raw_parts(pointer, length, length) };
    let Some((head, _)) = buffer.split_first_chunk::<4>() else {
        return Err(Failure::new(FailureKind::BadLedger, "short ledger entry"));
    };
    let live_until = u32::from_le_bytes(*head);
    buffer.drain(..4);
    Ok(Some(Stored {
        xdr: buffer,
        live_until: (live_until != 0).then_some(live_until),
    }))
}

pub fn decode_entry(stored: &Stored) -> Res<LedgerEntry> {
    decode(&stored.xdr, "ledger entry").map_err(|e| Failure::new(FailureKind::BadLedger, e.message))
}

pub struct Ledger;

impl SnapshotSource for Ledger {
    fn get(&self, key: &Rc<LedgerKey>) -> Result<Option<EntryWithLiveUntil>, HostError> {
        let refuse = |failure: Failure| {
            say(&failure.message);
            HostError::from((ScErrorType::Storage, ScErrorCode::InternalError))
        };
        let Some(stored) = lookup(&encode(key.as_ref()).map_err(refuse)?).map_err(refuse)? else {
            return Ok(None);
        };
        let entry = decode_entry(&stored).map_err(refuse)?;
        Ok(Some((Rc::new(entry), stored.live_until)))
    }
}
