//! What stellar-core itself limits around the host; passing one ends an operation with
//! RESOURCE_LIMIT_EXCEEDED.

use crate::{
    framing::{Failure, FailureKind, Res, Writer, encode},
    ledger::{decode_entry, lookup},
};
use soroban_env_host::xdr::{
    ConfigSettingEntry, ConfigSettingId, LedgerEntryData, LedgerKey, LedgerKeyConfigSetting,
};

#[derive(Clone, Copy)]
pub enum Resource {
    DiskReadBytes = 0,
    EntrySize = 1,
    Instructions = 2,
    Memory = 3,
    WriteBytes = 4,
    EventsSize = 5,
    /// Events and return value together.
    ReturnValueSize = 6,
}

/// A limit, and by what it was passed.
pub struct Exceeded {
    pub resource: Resource,
    pub used: u64,
    pub allowed: u64,
}

impl Exceeded {
    /// out: u8 resource, u64 used, u64 allowed
    pub fn write(&self, out: &mut Writer) {
        out.u8(self.resource as u8);
        out.u64(self.used);
        out.u64(self.allowed);
    }
}

pub fn check(resource: Resource, used: u64, allowed: u64) -> Result<(), Exceeded> {
    if used > allowed {
        Err(Exceeded {
            resource,
            used,
            allowed,
        })
    } else {
        Ok(())
    }
}

/// Network limits that simulation has no use for and therefore does not load.
pub struct Limits {
    code_size: u32,
    data_entry_size: u32,
    pub events_size: u32,
}

fn setting(id: ConfigSettingId) -> Res<ConfigSettingEntry> {
    let key = LedgerKey::ConfigSetting(LedgerKeyConfigSetting {
        config_setting_id: id,
    });
    let stored = lookup(&encode(&key)?)?;
    match stored
        .as_ref()
        .map(decode_entry)
        .transpose()?
        .map(|entry| entry.data)
    {
        Some(LedgerEntryData::ConfigSetting(setting)) => Ok(setting),
        _ => Err(Failure::new(
            FailureKind::BadConfig,
            format!("no setting {id:?}"),
        )),
    }
}

impl Limits {
    pub fn load() -> Res<Self> {
        use ConfigSettingEntry as Entry;
        use ConfigSettingId as Id;
        let settings = (
            setting(Id::ContractMaxSizeBytes)?,
            setting(Id::ContractDataEntrySizeBytes)?,
            setting(Id::ContractEventsV0)?,
        );
        let (
            Entry::ContractMaxSizeBytes(code_size),
            Entry::ContractDataEntrySizeBytes(data_entry_size),
            Entry::ContractEventsV0(events),
        ) = settings
        else {
            return Err(Failure::new(
                FailureKind::BadConfig,
                "a setting holds another's value",
            ));
        };
        let events_size = events.tx_max_contract_events_size_bytes;
        Ok(Self {
            code_size,
            data_entry_size,
            events_size,
        })
    }

    /// By the XDR size of the entry, for code too (`validateContractLedgerEntry` of stellar-core).
    pub fn check_entry(&self, entry: &LedgerEntryData, xdr_size: usize) -> Result<(), Exceeded> {
        let allowed = match entry {
            LedgerEntryData::ContractCode(_) => self.code_size,
            LedgerEntryData::ContractData(_) => self.data_entry_size,
            _ => return Ok(()),
        };
        check(Resource::EntrySize, xdr_size as u64, allowed.into())
    }
}
