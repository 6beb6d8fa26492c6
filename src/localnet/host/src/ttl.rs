//! Extending and restoring entries: the two operations beside invocation that pay rent.

use crate::{
    context::Context,
    fees::{Declared, resource_fee},
    footprint::restored_until,
    framing::{Failure, FailureKind, Reader, Res, Writer, encode},
    ledger::{Ledger, Stored, decode_entry, lookup},
    limits::{Exceeded, Limits, Resource, check},
};
use soroban_env_host::{
    e2e_invoke::entry_size_for_rent,
    fees::{LedgerEntryRentChange, compute_rent_fee},
    ledger_info::get_key_durability,
    xdr::{ContractDataDurability, LedgerEntryData, LedgerKey, SorobanResources},
};
use soroban_simulation::simulation::{
    SimulationAdjustmentConfig, simulate_extend_ttl_op, simulate_restore_op,
};

enum Operation {
    /// To live so many ledgers from now.
    Extend(u32),
    Restore,
}

impl Operation {
    fn read(input: &mut Reader) -> Res<Self> {
        match (input.u8()?, input.u32()?) {
            (0, to) => Ok(Self::Extend(to)),
            (1, _) => Ok(Self::Restore),
            _ => Err(Failure::new(
                FailureKind::BadInput,
                "unknown lifetime operation",
            )),
        }
    }
}

/// in:  ledger, u8 kind (0 extend, 1 restore), u32 extend to, list LedgerKey xdr
/// out: SorobanTransactionData xdr
pub fn simulate(input: &[u8]) -> Res<Vec<u8>> {
    let mut input = Reader(input);
    let Context { config, ledger } = Context::read(&mut input)?;
    let operation = Operation::read(&mut input)?;
    let keys: Vec<LedgerKey> = input.xdrs("ledger key")?;
    let adjust = SimulationAdjustmentConfig::default_adjustment();
    let data = match operation {
        Operation::Extend(to) => {
            simulate_extend_ttl_op(&Ledger, &config, &adjust, &ledger, &keys, to)
                .map(|result| result.transaction_data)
        }
        Operation::Restore => simulate_restore_op(&Ledger, &config, &adjust, &ledger, &keys)
            .map(|result| result.transaction_data),
    }
    .map_err(|e| Failure::new(FailureKind::BadInput, format!("{e:#}")))?;
    encode(&data)
}

#[derive(Default)]
struct Changes {
    keys: Vec<Vec<u8>>,
    rents: Vec<LedgerEntryRentChange>,
    /// XDR bytes of the entries.
    size: u64,
}

/// What a TTL operation needs besides the keys.
struct Scope<'a> {
    context: &'a Context,
    limits: &'a Limits,
    operation: &'a Operation,
    resources: &'a SorobanResources,
}

/// What becomes of one entry: stellar-core passes over missing, already long-lived, and (when
/// extending) expired ones, and over live ones when restoring.
fn change(scope: &Scope, key: &LedgerKey, changes: &mut Changes) -> Res<Result<(), Exceeded>> {
    let Scope {
        context, operation, ..
    } = scope;
    let (key_xdr, now) = (encode(key)?, context.ledger.sequence_number);
    let Some(durability) = get_key_durability(key) else {
        return Ok(Ok(()));
    };
    let Some(Stored {
        xdr,
        live_until: Some(until),
    }) = lookup(&key_xdr)?
    else {
        return Ok(Ok(()));
    };
    let is_live = until >= now;
    let target = match operation {
        Operation::Extend(by) => now.saturating_add(*by),
        Operation::Restore => restored_until(context)?,
    };
    let applies = match operation {
        Operation::Extend(_) => is_live && until < target,
        Operation::Restore => !is_live && durability == ContractDataDurability::Persistent,
    };
    let xdr_size = xdr.len() as u32;
    let entry = decode_entry(&Stored {
        xdr,
        live_until: Some(until),
    })?;
    if let Err(exceeded) = scope.check(&entry.data, xdr_size, applies, changes) {
        return Ok(Err(exceeded));
    }
    if !applies {
        return Ok(Ok(()));
    }
    let size = entry_size_for_rent(&context.unmetered()?, &entry, xdr_size)
        .map_err(|e| Failure::new(FailureKind::Internal, format!("{:?}", e.error)))?;
    changes.keys.push(key_xdr);
    changes.rents.push(LedgerEntryRentChange {
        is_persistent: durability == ContractDataDurability::Persistent,
        is_code_entry: matches!(key, LedgerKey::ContractCode(_)),
        old_size_bytes: if is_live { size } else { 0 },
        new_size_bytes: size,
        old_live_until_ledger: if is_live { until } else { 0 },
        new_live_until_ledger: target,
    });
    Ok(Ok(()))
}

impl Scope<'_> {
    /// In stellar-core's order: an extension checks the size of each live entry; a restoration the
    /// bytes read so far, the size of the entry, and the bytes written so far. An extension reads
    /// nothing from disk since protocol 23.
    fn check(
        &self,
        entry: &LedgerEntryData,
        xdr_size: u32,
        applies: bool,
        changes: &mut Changes,
    ) -> Result<(), Exceeded> {
        if matches!(self.operation, Operation::Extend(_)) {
            return self.limits.check_entry(entry, xdr_size as usize);
        }
        if !applies {
            return Ok(());
        }
        changes.size += u64::from(xdr_size);
        let allowed = self.resources.disk_read_bytes.into();
        check(Resource::DiskReadBytes, changes.size, allowed)?;
        self.limits.check_entry(entry, xdr_size as usize)?;
        let allowed = self.resources.write_bytes.into();
        check(Resource::WriteBytes, changes.size, allowed)
    }
}

/// in:  ledger, u8 kind, u32 extend to, SorobanResources xdr, u32 transaction size
/// out: i64 non-refundable fee, u8 code:
///      0 success:  i64 rent fee, u32 count + (LedgerKey xdr, u32 old (0 when it was expired),
///                  u32 new live until)
///      2 exceeded: u8 resource, u64 used, u64 allowed
pub fn apply(input: &[u8]) -> Res<Vec<u8>> {
    let mut input = Reader(input);
    let context = Context::read(&mut input)?;
    let operation = Operation::read(&mut input)?;
    let resources: SorobanResources = input.xdr("resources")?;
    let transaction_size = input.u32()?;
    let keys = match operation {
        Operation::Extend(_) => &resources.footprint.read_only,
        Operation::Restore => &resources.footprint.read_write,
    };
    let scope = Scope {
        context: &context,
        limits: &Limits::load()?,
        operation: &operation,
        resources: &resources,
    };
    let mut changes = Changes::default();
    let mut within = Ok(());
    for key in keys.iter() {
        within = change(&scope, key, &mut changes)?;
        if within.is_err() {
            break;
        }
    }
    let declared = Declared {
        resources: &resources,
        restored: &[],
        is_restoration: matches!(operation, Operation::Restore),
        transaction_size,
    };
    let mut out = Writer::default();
    out.i64(resource_fee(&context, &declared, 0).0);
    match within {
        Ok(()) => write_changes(&mut out, &context, &changes),
        Err(exceeded) => {
            out.u8(2);
            exceeded.write(&mut out);
        }
    }
    Ok(out.0)
}

fn write_changes(out: &mut Writer, context: &Context, changes: &Changes) {
    out.u8(0);
    out.i64(compute_rent_fee(
        &changes.rents,
        &context.config.rent_fee_configuration,
        context.ledger.sequence_number,
    ));
    out.u32(changes.keys.len() as u32);
    for (key, rent) in changes.keys.iter().zip(&changes.rents) {
        out.bytes(key);
        out.u32(rent.old_live_until_ledger);
        out.u32(rent.new_live_until_ledger);
    }
}
