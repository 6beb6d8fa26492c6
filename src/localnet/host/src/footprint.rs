//! The entries a transaction declared, as stellar-core loads them before it calls the host.

use crate::{
    context::Context,
    fees::is_classic,
    framing::{Failure, FailureKind, Res, encode},
    ledger::{Stored, decode_entry, lookup},
    limits::{Exceeded, Limits, Resource, check},
    metrics::Metrics,
};
use soroban_env_host::{
    budget::Budget,
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
    metrics: &mut Metrics,
) -> Result<Loaded, Unusable> {
    let footprint = &resources.footprint;
    let first_writable = footprint.read_only.len();
    let keys = footprint
        .read_only
        .iter()
        .chain(footprint.read_write.iter());
    let mut loaded = Loaded {
        entries: vec![],
        codes: vec![],
    };
    let unmetered = context.unmetered()?;
    for (index, key) in keys.enumerate() {
        let restores = index
            .checked_sub(first_writable)
            .is_some_and(|writable| restored.contains(&(writable as u32)));
        let key_xdr = encode(key)?;
        let found = find(context, key, &key_xdr, restores)?;
        let size = found.as_ref().map_or(0, |(stored, _)| stored.xdr.len());
        let from_disk = match &found {
            Some((_, from_disk)) => *from_disk,
            None => is_classic(key),
        };
        match found {
            None => loaded.entries.push((None, None)),
            Some((stored, _)) => loaded.push(&unmetered, limits, key, stored)?,
        }
        if from_disk {
            metrics.read_from_disk(is_code(key), key_xdr.len(), size);
            let allowed = resources.disk_read_bytes.into();
            check(Resource::DiskReadBytes, metrics.read_bytes(), allowed)?;
        } else {
            metrics.read_from_memory();
        }
    }
    Ok(loaded)
}

pub fn is_code(key: &LedgerKey) -> bool {
    matches!(key, LedgerKey::ContractCode(_))
}

/// The entry as this transaction sees it, and whether it is read from disk: contract entries
/// are in memory unless they are restored (CAP-62, CAP-66).
fn find(
    context: &Context,
    key: &LedgerKey,
    key_xdr: &[u8],
    restores: bool,
) -> Result<Option<(Stored, bool)>, Unusable> {
    let Some(mut stored) = lookup(key_xdr)? else {
        return Ok(None);
    };
    match standing(context, key, &stored, restores) {
        Standing::Absent => Ok(None),
        Standing::Archived => Err(Unusable::Archived(key_xdr.to_vec())),
        Standing::Restored => {
            stored.live_until = Some(restored_until(context)?);
            Ok(Some((stored, true)))
        }
        Standing::Live => {
            let from_disk = stored.live_until.is_none();
            Ok(Some((stored, from_disk)))
        }
    }
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
        unmetered: &Budget,
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
        let size = entry_size_for_rent(unmetered, &entry, stored.xdr.len() as u32)
            .map_err(|e| Failure::new(FailureKind::Internal, format!("{:?}", e.error)))?;
        if let (LedgerKey::ContractCode(code), LedgerEntryData::ContractCode(_)) =
            (key, &entry.data)
        {
            self.codes.push((code.hash.clone(), stored.clone()));
        }
        let ttl = TtlLedgerEntryMeta {
            live_until_ledger,
            entry_size_for_rent: size,
        };
        self.entries.push((Some(stored.xdr), Some(ttl)));
        Ok(())
    }
}
