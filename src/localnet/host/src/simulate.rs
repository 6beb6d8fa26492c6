//! What `simulateTransaction` computes for a host function.

use crate::{
    context::Context,
    framing::{Failure, FailureKind, Reader, Res, Writer, encode},
    ledger::Ledger,
    report,
};
use soroban_env_host::{
    e2e_invoke::RecordingInvocationAuthMode,
    xdr::{
        AccountId, HostFunction, LedgerEntry, SorobanAuthorizationEntry, SorobanTransactionDataExt,
    },
};
use soroban_simulation::simulation::{
    InvokeHostFunctionSimulationResult, LedgerEntryDiff, SimulationAdjustmentConfig,
    simulate_invoke_host_function_op,
};
use std::rc::Rc;

fn auth_mode(
    mode: u8,
    address_v2: bool,
    auth: Vec<SorobanAuthorizationEntry>,
) -> Res<RecordingInvocationAuthMode> {
    match mode {
        0 => Ok(RecordingInvocationAuthMode::recording(true, address_v2)),
        1 => Ok(RecordingInvocationAuthMode::recording(false, address_v2)),
        2 => Ok(RecordingInvocationAuthMode::Enforcing(auth)),
        _ => Err(Failure::new(
            FailureKind::BadInput,
            "unknown authorization mode",
        )),
    }
}

/// in:  ledger, HostFunction xdr, source AccountId xdr, u8 mode (0 record, 1 record and allow
///      non-root, 2 enforce), u8 record ADDRESS_V2 credentials, list authorization xdr, seed 32,
///      u8 diagnostics
/// out: u8 ok, (ScVal xdr | failure), list authorization xdr, list ContractEvent xdr,
///      list DiagnosticEvent xdr, option SorobanTransactionData xdr, numbers restored,
///      u32 instructions, u32 memory, u32 count + (option before, option after) LedgerEntry xdr
pub fn run(input: &[u8]) -> Res<Vec<u8>> {
    let mut input = Reader(input);
    let context = Context::read(&mut input)?;
    let host_function: HostFunction = input.xdr("host function")?;
    let source: AccountId = input.xdr("source account")?;
    let (mode, address_v2) = (input.u8()?, input.bool()?);
    let auth_mode = auth_mode(mode, address_v2, input.xdrs("authorization entry")?)?;
    let seed = input.hash()?;
    let diagnostics = input.bool()?;
    let result = simulate_invoke_host_function_op(
        Rc::new(Ledger),
        &context.config,
        &SimulationAdjustmentConfig::default_adjustment(),
        &context.ledger,
        host_function,
        auth_mode,
        &source,
        seed,
        diagnostics,
    )
    .map_err(|e| Failure::new(FailureKind::Internal, format!("{e:#}")))?;
    write(&result)
}

fn write(result: &InvokeHostFunctionSimulationResult) -> Res<Vec<u8>> {
    let mut out = Writer::default();
    out.u8(result.invoke_result.is_ok() as u8);
    match &result.invoke_result {
        Ok(value) => out.bytes(&encode(value)?),
        Err(error) => report::failure(&mut out, error, &result.diagnostic_events)?,
    }
    out.xdrs(&result.auth)?;
    out.xdrs(&result.contract_events)?;
    out.xdrs(&result.diagnostic_events)?;
    let data = result.transaction_data.as_ref();
    out.option(data.map(encode).transpose()?.as_deref());
    match data.map(|data| &data.ext) {
        Some(SorobanTransactionDataExt::V1(ext)) => out.numbers(&ext.archived_soroban_entries),
        _ => out.numbers(&[]),
    }
    out.u32(result.simulated_instructions);
    out.u32(result.simulated_memory);
    out.u32(result.modified_entries.len() as u32);
    for LedgerEntryDiff {
        state_before,
        state_after,
    } in &result.modified_entries
    {
        write_state(&mut out, state_before)?;
        write_state(&mut out, state_after)?;
    }
    Ok(out.0)
}

fn write_state(out: &mut Writer, state: &Option<LedgerEntry>) -> Res<()> {
    out.option(state.as_ref().map(encode).transpose()?.as_deref());
    Ok(())
}
