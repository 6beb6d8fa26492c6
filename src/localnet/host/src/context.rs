//! What every operation needs to know of the network: its settings and the ledger being closed.

use crate::{
    framing::{Failure, FailureKind, Reader, Res},
    ledger::Ledger,
};
use soroban_env_host::{LedgerInfo, budget::Budget, meta};
use soroban_simulation::NetworkConfig;

pub struct Context {
    pub config: NetworkConfig,
    pub ledger: LedgerInfo,
}

impl Context {
    /// in: u32 sequence, u64 close time (unix seconds), network id 32, u32 base reserve
    pub fn read(reader: &mut Reader) -> Res<Self> {
        let config = NetworkConfig::load_from_snapshot(&Ledger)
            .map_err(|e| Failure::new(FailureKind::BadConfig, format!("{e:#}")))?;
        let mut ledger = LedgerInfo {
            protocol_version: meta::INTERFACE_VERSION.protocol,
            sequence_number: reader.u32()?,
            timestamp: reader.u64()?,
            network_id: reader.hash()?,
            base_reserve: reader.u32()?,
            ..Default::default()
        };
        config.fill_config_fields_in_ledger_info(&mut ledger);
        Ok(Self { config, ledger })
    }

    /// A budget of so many instructions and bytes at the network's cost parameters.
    pub fn budget(&self, instructions: u64, memory: u64) -> Res<Budget> {
        Budget::try_from_configs(
            instructions,
            memory,
            self.config.cpu_cost_params.clone(),
            self.config.memory_cost_params.clone(),
        )
        .map_err(|e| Failure::new(FailureKind::BadConfig, format!("{:?}", e.error)))
    }

    /// For what stellar-core does outside of a transaction's metering.
    pub fn unmetered(&self) -> Res<Budget> {
        self.budget(u64::MAX, u64::MAX)
    }
}
