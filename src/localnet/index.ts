/** A Stellar network inside a test, as one module for other programs. docs/localnet.md explains it. */
export type {
  ContractArguments,
  EmbeddedNetwork,
  EmbeddedNetworkOptions,
  FundedAmounts,
  LedgerFacts,
  LedgerSnapshot,
  PublicKeyHolder,
} from './embedded/embedded-network.ts'
export { startLocalnet } from './embedded/start-localnet.ts'
export { FaucetFailure } from './faucet/transaction.ts'
export { SnapshotMismatch } from './snapshot/snapshot.ts'
