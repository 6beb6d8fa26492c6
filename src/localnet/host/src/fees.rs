//! The resource fee of a transaction, in stroops.

use crate::{
    context::Context,
    framing::{Reader, Res, Writer},
};
use soroban_env_host::{
    fees::{TransactionResources, compute_transaction_resource_fee},
    xdr::{LedgerKey, SorobanResources},
};

/// What a transaction declares, as far as its fee depends on it.
pub struct Declared<'a> {
    pub resources: &'a SorobanResources,
    pub restored: &'a [u32],
    /// The operation is RestoreFootprint.
    pub is_restoration: bool,
    pub transaction_size: u32,
}

impl Declared<'_> {
    /// As `getNumDiskReadEntries` of stellar-core's TransactionFrame.cpp counts them: RestoreFootprint
    /// reads each of its read-write keys from disk, whether archived or not. Elsewhere contract
    /// entries live in memory since protocol 23, so only classic and restored ones count (CAP-62,
    /// CAP-66).
    fn disk_reads(&self) -> u32 {
        let footprint = &self.resources.footprint;
        if self.is_restoration {
            return footprint.read_write.len() as u32;
        }
        let keys = footprint
            .read_only
            .iter()
            .chain(footprint.read_write.iter());
        (keys.filter(|key| is_classic(key)).count() + self.restored.len()) as u32
    }
}

pub fn is_classic(key: &LedgerKey) -> bool {
    !matches!(key, LedgerKey::ContractData(_) | LedgerKey::ContractCode(_))
}

/// The non-refundable part, and the refundable one without rent: the charge for events.
pub fn resource_fee(context: &Context, declared: &Declared, events_size: u32) -> (i64, i64) {
    compute_transaction_resource_fee(
        &TransactionResources {
            instructions: declared.resources.instructions,
            disk_read_entries: declared.disk_reads(),
            write_entries: declared.resources.footprint.read_write.len() as u32,
            disk_read_bytes: declared.resources.disk_read_bytes,
            write_bytes: declared.resources.write_bytes,
            contract_events_size_bytes: events_size,
            transaction_size_bytes: declared.transaction_size,
        },
        &context.config.fee_configuration,
    )
}

/// in:  ledger, SorobanResources xdr, numbers restored, u8 is RestoreFootprint,
///      u32 transaction size, u32 events size
/// out: i64 non-refundable, i64 refundable without rent
pub fn run(input: &[u8]) -> Res<Vec<u8>> {
    let mut input = Reader(input);
    let context = Context::read(&mut input)?;
    let resources: SorobanResources = input.xdr("resources")?;
    let restored = input.numbers()?;
    let declared = Declared {
        resources: &resources,
        restored: &restored,
        is_restoration: input.bool()?,
        transaction_size: input.u32()?,
    };
    let (non_refundable, refundable) = resource_fee(&context, &declared, input.u32()?);
    let mut out = Writer::default();
    out.i64(non_refundable);
    out.i64(refundable);
    Ok(out.0)
}
