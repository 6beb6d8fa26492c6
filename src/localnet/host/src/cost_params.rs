//! The metering calibration built into the host crate, for the network's genesis settings.

use crate::framing::{Failure, FailureKind, Res, Writer, encode};
use soroban_env_host::{
    budget::Budget,
    xdr::{ContractCostParamEntry, ContractCostParams, ContractCostType, ExtensionPoint},
};

/// The crate does not hand its calibration out, so it is measured from outside: a cost is
/// `const + (linear * input >> 7)`, hence input 0 shows the constant term and input 128 their
/// sum. A constant model takes no input and a linear one refuses none.
fn probe(cost: ContractCostType, input: Option<u64>) -> (u64, u64) {
    let budget = Budget::default();
    // A refusal charges nothing, which reads as zero below.
    let _ = budget.charge(cost, input);
    (
        budget.get_cpu_insns_consumed().unwrap_or(0),
        budget.get_mem_bytes_consumed().unwrap_or(0),
    )
}

fn entry(constant: u64, with_linear: u64) -> ContractCostParamEntry {
    ContractCostParamEntry {
        ext: ExtensionPoint::V0,
        const_term: constant as i64,
        linear_term: with_linear.saturating_sub(constant) as i64,
    }
}

/// out: ContractCostParams xdr of instructions, ContractCostParams xdr of memory
pub fn run() -> Res<Vec<u8>> {
    let (mut cpu, mut memory) = (vec![], vec![]);
    for cost in ContractCostType::variants() {
        let (constant, at_zero) = (probe(cost, None), probe(cost, Some(0)));
        let at_one = probe(cost, Some(128));
        cpu.push(entry(constant.0.max(at_zero.0), at_one.0));
        memory.push(entry(constant.1.max(at_zero.1), at_one.1));
    }
    let mut out = Writer::default();
    for params in [cpu, memory] {
        let params = params
            .try_into()
            .map_err(|_| Failure::new(FailureKind::Internal, "too many cost parameters"))?;
        out.bytes(&encode(&ContractCostParams(params))?);
    }
    Ok(out.0)
}
