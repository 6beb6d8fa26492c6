//! The metering calibration built into the host crate, for the network's genesis settings.

use crate::framing::{Failure, FailureKind, Res, Writer, encode};
use soroban_env_host::{
    budget::Budget,
    xdr::{ContractCostParamEntry, ContractCostParams, ContractCostType, ExtensionPoint},
};

/// Columns of the crate's own table: name, iterations, input, instructions and memory used, and
/// the constant and linear terms of instructions and of memory.
const COLUMNS: usize = 9;
const FIRST_TERM: usize = 5;

/// Constant and linear term of instructions, then of memory.
type Terms = [i64; 4];

/// The crate hands its calibration out only in the debug text of a budget. To charge a default
/// budget instead is not exact: its limit is below the price of a pairing, and a charge above the
/// limit of instructions charges no memory.
fn terms(table: &[Vec<&str>], cost: ContractCostType) -> Res<Terms> {
    let name = format!("{cost:?}");
    let unreadable = || {
        let message = format!("the crate's table of costs has no readable row {name}");
        Failure::new(FailureKind::Internal, message)
    };
    let row = table
        .iter()
        .find(|row| row.len() == COLUMNS && row[0] == name)
        .ok_or_else(unreadable)?;
    let mut terms = Terms::default();
    for (term, text) in terms.iter_mut().zip(&row[FIRST_TERM..]) {
        *term = text.parse().map_err(|_| unreadable())?;
    }
    Ok(terms)
}

fn entry(const_term: i64, linear_term: i64) -> ContractCostParamEntry {
    ContractCostParamEntry {
        ext: ExtensionPoint::V0,
        const_term,
        linear_term,
    }
}

/// out: ContractCostParams xdr of instructions, ContractCostParams xdr of memory
pub fn run() -> Res<Vec<u8>> {
    let text = format!("{:?}", Budget::default());
    let table: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    let (mut cpu, mut memory) = (vec![], vec![]);
    for cost in ContractCostType::variants() {
        let [cpu_const, cpu_linear, memory_const, memory_linear] = terms(&table, cost)?;
        cpu.push(entry(cpu_const, cpu_linear));
        memory.push(entry(memory_const, memory_linear));
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
