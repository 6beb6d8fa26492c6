import { Keypair } from '@stellar/stellar-sdk'
import { type AccountId, accountIdFromRaw } from './ledger/account-id.ts'

/** The root account's seed is the network id, as in stellar-core. */
export const rootKeypair = (networkId: Uint8Array): Keypair =>
  Keypair.fromRawEd25519Seed(Buffer.from(networkId))

export const rootId = (networkId: Uint8Array): AccountId =>
  accountIdFromRaw(rootKeypair(networkId).rawPublicKey())
