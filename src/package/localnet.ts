/** A Stellar network inside a test, as one module for other programs. docs/localnet.md explains it. */
export type {
  ContractArguments,
  EmbeddedNetwork,
  EmbeddedNetworkOptions,
  FundedAmounts,
  LedgerFacts,
  LedgerSnapshot,
  PublicKeyHolder,
} from '../localnet/embedded/embedded-network.ts'
export { startLocalnet } from '../localnet/embedded/start-localnet.ts'
export { FaucetFailure } from '../localnet/faucet/transaction.ts'
export { SnapshotMismatch } from '../localnet/snapshot/snapshot.ts'
