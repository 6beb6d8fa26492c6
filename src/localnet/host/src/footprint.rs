//! The entries a transaction declared, as stellar-core loads them before it calls the host.

use crate::{
    context::Context,
    framing::{Failure, FailureKind, Res, encode},
    ledger::{Stored, decode_entry, lookup},
    limits::{Exceeded, Limits, Resource, check},
};
use soroban_env_host::{
    e2e_invoke::{TtlLedgerEntryMeta, entry_size_for_rent},
    ledger_info::get_key_durability,
    xdr::{ContractDataDurability, Hash, LedgerEntryData, LedgerKey, SorobanResources},
};

pub type HostEntry = (Option<Vec<u8>>, Option<TtlLedgerEntryMeta>);

pub struct Loaded {
    /// One per footprint key, read-only ones first.
    pub entries: Vec<HostEntry>,
    pub codes: Vec<(Hash, Stored)>,
}

/// Why the footprint cannot be used.
pub enum Unusable {
    /// An expired persistent entry that the transaction does not restore; its LedgerKey xdr.
    Archived(Vec<u8>),
    Exceeded(Exceeded),
    Failed(Failure),
}

impl From<Failure> for Unusable {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<Exceeded> for Unusable {
    fn from(exceeded: Exceeded) -> Self {
        Self::Exceeded(exceeded)
    }
}

/// What an entry is to this transaction.
enum Standing {
    Absent,
    Live,
    Restored,
    Archived,
}

fn standing(context: &Context, key: &LedgerKey, stored: &Stored, restores: bool) -> Standing {
    let live = |until: u32| until >= context.ledger.sequence_number;
    match (stored.live_until, get_key_durability(key)) {
        (Some(until), Some(ContractDataDurability::Temporary)) if !live(until) => Standing::Absent,
        (Some(until), Some(_)) if !live(until) && restores => Standing::Restored,
        (Some(until), Some(_)) if !live(until) => Standing::Archived,
        _ => Standing::Live,
    }
}

pub fn load(
    context: &Context,
    limits: &Limits,
    resources: &SorobanResources,
    restored: &[u32],
) -> Result<Loaded, Unusable> {
    let footprint = &resources.footprint;
    let first_writable = footprint.read_only.len();
    let mut loaded = Loaded { entries: vec![], codes: vec![] };
    let mut disk_read_bytes = 0;
    for (index, key) in footprint.read_only.iter().chain(footprint.read_write.iter()).enumerate() {
        let key_xdr = encode(key)?;
        let restores = index
            .checked_sub(first_writable)
            .is_some_and(|writable| restored.contains(&(writable as u32)));
        let Some(mut stored) = lookup(&key_xdr)? else {
            loaded.entries.push((None, None));
            continue;
        };
        let standing = standing(context, key, &stored, restores);
        match standing {
            Standing::Archived => return Err(Unusable::Archived(key_xdr)),
            Standing::Absent => {
                loaded.entries.push((None, None));
                continue;
            }
            Standing::Restored => stored.live_until = Some(restored_until(context)?),
            Standing::Live => {}
        }
        // Contract entries are read from memory, unless restored (CAP-62, CAP-66).
        if matches!(standing, Standing::Restored) || stored.live_until.is_none() {
            disk_read_bytes += stored.xdr.len() as u64;
            check(Resource::DiskReadBytes, disk_read_bytes, resources.disk_read_bytes.into())?;
        }
        loaded.push(context, limits, key, stored)?;
    }
    Ok(loaded)
}

/// A restored entry lives as long as a new one.
pub fn restored_until(context: &Context) -> Res<u32> {
    context
        .ledger
        .min_live_until_ledger_checked(ContractDataDurability::Persistent)
        .ok_or_else(|| Failure::new(FailureKind::BadConfig, "minimum lifetime overflows"))
}

impl Loaded {
    fn push(
        &mut self,
        context: &Context,
        limits: &Limits,
        key: &LedgerKey,
        stored: Stored,
    ) -> Result<(), Unusable> {
        let Some(live_until_ledger) = stored.live_until else {
            self.entries.push((Some(stored.xdr), None));
            return Ok(());
        };
        let entry = decode_entry(&stored)?;
        limits.check_entry(&entry.data, stored.xdr.len())?;
        let size = entry_size_for_rent(&context.unmetered()?, &entry, stored.xdr.len() as u32)
            .map_err(|e| Failure::new(FailureKind::Internal, format!("{:?}", e.error)))?;
        if let (LedgerKey::ContractCode(code), LedgerEntryData::ContractCode(_)) =
            (key, &entry.data)
        {
            self.codes.push((code.hash.clone(), stored.clone()));
        }
        let ttl = TtlLedgerEntryMeta { live_until_ledger, entry_size_for_rent: size };
        self.entries.push((Some(stored.xdr), Some(ttl)));
        Ok(())
    }
}
