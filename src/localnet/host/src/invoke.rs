//! Applies a host function as stellar-core does in a closing ledger, up to the operation's
//! result code. Paying for it stays with the embedder: it gets every part of the fee.

use crate::{
    context::Context,
    fees::{Declared, resource_fee},
    footprint::{self, Unusable},
    framing::{Failure, FailureKind, Reader, Res, Writer, decode},
    limits::{Exceeded, Limits, Resource, check},
    metrics::Metrics,
    modules, report,
};
use soroban_env_host::{
    HostError,
    budget::Budget,
    e2e_invoke::{
        InvokeHostFunctionResult, LedgerEntryChange, extract_rent_changes, invoke_host_function,
    },
    fees::compute_rent_fee,
    xdr::{
        DiagnosticEvent, LedgerEntry, LedgerEntryData, ScErrorCode, ScErrorType, SorobanResources,
    },
};

struct Call<'a> {
    context: Context,
    host_function: &'a [u8],
    resources_xdr: &'a [u8],
    resources: SorobanResources,
    restored: Vec<u32>,
    source: &'a [u8],
    auth: Vec<&'a [u8]>,
    seed: [u8; 32],
    diagnostics: bool,
    transaction_size: u32,
}

/// The operation's result code, as far as it does not depend on the fee.
type Outcome = Result<Success, Refusal>;

enum Refusal {
    Trapped(HostError),
    Exceeded(Exceeded, Option<HostError>),
    Archived(Vec<u8>),
}

struct Success {
    value: Vec<u8>,
    changes: Vec<LedgerEntryChange>,
    events: Vec<Vec<u8>>,
}

impl<'a> Call<'a> {
    fn read(input: &'a [u8]) -> Res<Self> {
        let mut input = Reader(input);
        let context = Context::read(&mut input)?;
        let host_function = input.bytes()?;
        let resources_xdr = input.bytes()?;
        Ok(Self {
            context,
            host_function,
            resources_xdr,
            resources: decode(resources_xdr, "resources")?,
            restored: input.numbers()?,
            source: input.bytes()?,
            auth: input.list()?,
            seed: input.hash()?,
            diagnostics: input.bool()?,
            transaction_size: input.u32()?,
        })
    }

    fn apply(
        &self,
        limits: &Limits,
        budget: &Budget,
        events: &mut Vec<DiagnosticEvent>,
        metrics: &mut Metrics,
    ) -> Res<Outcome> {
        let loaded = footprint::load(
            &self.context,
            limits,
            &self.resources,
            &self.restored,
            metrics,
        );
        let loaded = match loaded {
            Ok(loaded) => loaded,
            Err(Unusable::Archived(key)) => return Ok(Err(Refusal::Archived(key))),
            Err(Unusable::Exceeded(exceeded)) => {
                return Ok(Err(Refusal::Exceeded(exceeded, None)));
            }
            Err(Unusable::Failed(failure)) => return Err(failure),
        };
        let codes: Vec<_> = loaded
            .codes
            .iter()
            .map(|(hash, code)| (hash.clone(), code))
            .collect();
        let cache = modules::cache(&self.context, &codes)?;
        let result = invoke_host_function(
            budget,
            self.diagnostics,
            self.host_function.to_vec(),
            self.resources_xdr.to_vec(),
            &self.restored,
            self.source.to_vec(),
            self.auth
                .iter()
                .map(|entry| entry.to_vec())
                .collect::<Vec<_>>()
                .into_iter(),
            self.context.ledger.clone(),
            loaded.entries.into_iter(),
            self.seed.to_vec(),
            events,
            None,
            Some(cache),
        );
        match result.and_then(succeed) {
            Err(error) => Ok(Err(self.explain(budget, error)?)),
            Ok(success) => Ok(match self.check_output(limits, &success, metrics) {
                Err(exceeded) => Err(Refusal::Exceeded(exceeded, None)),
                Ok(()) => Ok(success),
            }),
        }
    }

    /// A failure is a trap unless the budget ran out, whatever the host's error says.
    fn explain(&self, budget: &Budget, error: HostError) -> Res<Refusal> {
        if is_internal(&error) {
            let message = format!("{:?}", error.error);
            return Err(Failure::new(FailureKind::Internal, message));
        }
        let (cpu, memory) = consumed(budget);
        let exceeded = check(
            Resource::Instructions,
            cpu,
            self.resources.instructions.into(),
        )
        .and_then(|()| {
            check(
                Resource::Memory,
                memory,
                self.context.config.tx_memory_limit.into(),
            )
        });
        Ok(match exceeded {
            Err(exceeded) => Refusal::Exceeded(exceeded, Some(error)),
            Ok(()) => Refusal::Trapped(error),
        })
    }

    /// In stellar-core's order: each written entry and the bytes written so far, then events, then
    /// the return value, which counts with the events.
    fn check_output(
        &self,
        limits: &Limits,
        success: &Success,
        metrics: &mut Metrics,
    ) -> Result<(), Exceeded> {
        for change in &success.changes {
            let Some(xdr) = change.encoded_new_value.as_ref() else {
                continue;
            };
            let mut is_code = false;
            if let Ok(entry) = decode::<LedgerEntry>(xdr, "written entry") {
                limits.check_entry(&entry.data, xdr.len())?;
                is_code = matches!(entry.data, LedgerEntryData::ContractCode(_));
            }
            metrics.written(is_code, change.encoded_key.len(), xdr.len());
            check(
                Resource::WriteBytes,
                metrics.written_bytes(),
                self.resources.write_bytes.into(),
            )?;
        }
        let allowed = limits.events_size.into();
        for event in &success.events {
            metrics.emitted(event.len());
            check(
                Resource::EventsSize,
                metrics.emitted_bytes().into(),
                allowed,
            )?;
        }
        metrics.returned(success.value.len());
        check(
            Resource::ReturnValueSize,
            metrics.emitted_bytes().into(),
            allowed,
        )
    }
}

fn succeed(result: InvokeHostFunctionResult) -> Result<Success, HostError> {
    Ok(Success {
        value: result.encoded_invoke_result?,
        changes: result.ledger_changes,
        events: result.encoded_contract_events,
    })
}

/// As stellar-core's bridge decides it: any internal error but a contract's own.
fn is_internal(error: &HostError) -> bool {
    error.error.is_code(ScErrorCode::InternalError) && !error.error.is_type(ScErrorType::Contract)
}

fn consumed(budget: &Budget) -> (u64, u64) {
    (
        budget.get_cpu_insns_consumed().unwrap_or(0),
        budget.get_mem_bytes_consumed().unwrap_or(0),
    )
}

/// in:  ledger, HostFunction xdr, SorobanResources xdr, numbers restored, source AccountId xdr,
///      list authorization xdr, seed 32, u8 diagnostics, u32 transaction size
/// out: u64 instructions, u64 memory, i64 non-refundable fee, metrics, list DiagnosticEvent xdr,
///      u8 code:
///      0 success:  ScVal xdr, i64 events fee, i64 rent fee, list ContractEvent xdr,
///                  u32 count + (LedgerKey xdr, u8 read only, option LedgerEntry xdr,
///                  u32 old live until, u32 new live until)
///      1 trapped:  failure
///      2 exceeded: u8 resource, u64 used, u64 allowed, u8 has failure, [failure]
///      3 archived: LedgerKey xdr
pub fn run(input: &[u8]) -> Res<Vec<u8>> {
    let call = Call::read(input)?;
    let memory_limit = call.context.config.tx_memory_limit;
    let budget = call
        .context
        .budget(call.resources.instructions.into(), memory_limit.into())?;
    let mut diagnostics = vec![];
    let mut metrics = Metrics::default();
    let outcome = call.apply(&Limits::load()?, &budget, &mut diagnostics, &mut metrics)?;
    let events_size = outcome.as_ref().map_or(0, |_| metrics.emitted_bytes());
    let declared = Declared {
        resources: &call.resources,
        restored: &call.restored,
        is_restoration: false,
        transaction_size: call.transaction_size,
    };
    let (non_refundable, events_fee) = resource_fee(&call.context, &declared, events_size);
    let (cpu, memory) = consumed(&budget);
    let mut out = Writer::default();
    out.u64(cpu);
    out.u64(memory);
    out.i64(non_refundable);
    metrics.write(&mut out);
    out.xdrs(&diagnostics)?;
    match outcome {
        Ok(success) => write_success(&mut out, &call.context, events_fee, &success),
        Err(refusal) => write_refusal(&mut out, &refusal, &diagnostics)?,
    }
    Ok(out.0)
}

fn write_refusal(out: &mut Writer, refusal: &Refusal, diagnostics: &[DiagnosticEvent]) -> Res<()> {
    match refusal {
        Refusal::Trapped(error) => {
            out.u8(1);
            report::failure(out, error, diagnostics)?;
        }
        Refusal::Exceeded(exceeded, error) => {
            out.u8(2);
            exceeded.write(out);
            out.u8(error.is_some() as u8);
            if let Some(error) = error {
                report::failure(out, error, diagnostics)?;
            }
        }
        Refusal::Archived(key) => {
            out.u8(3);
            out.bytes(key);
        }
    }
    Ok(())
}

fn write_success(out: &mut Writer, context: &Context, events_fee: i64, success: &Success) {
    let rent = compute_rent_fee(
        &extract_rent_changes(&success.changes),
        &context.config.rent_fee_configuration,
        context.ledger.sequence_number,
    );
    out.u8(0);
    out.bytes(&success.value);
    out.i64(events_fee);
    out.i64(rent);
    out.list(&success.events);
    out.u32(success.changes.len() as u32);
    for change in &success.changes {
        out.bytes(&change.encoded_key);
        out.u8(change.read_only as u8);
        out.option(change.encoded_new_value.as_deref());
        let ttl = change.ttl_change.as_ref();
        out.u32(ttl.map_or(0, |ttl| ttl.old_live_until_ledger));
        out.u32(ttl.map_or(0, |ttl| ttl.new_live_until_ledger));
    }
}
