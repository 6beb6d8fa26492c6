import { TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import type { AppliedTransaction } from '../../../../src/localnet/closing/history.ts'
import { passphrases } from '../../../../src/platform/core/caip2.ts'
import { transactionsAfter } from '../../../support/ledger-view.ts'
import type { PoolWorld } from '../../kubernetes/operator/channel-pool/pool-world.ts'

const network = 'stellar:testnet'

export interface SponsorTransaction {
  readonly hash: string
  readonly successful: boolean
  readonly fee: bigint
  /** `createAccount`, `accountMerge` and so on, in order. */
  readonly operations: readonly string[]
}

/** The transactions that the sponsor paid for in the ledgers after `ledger`, oldest first. */
export const transactionsOfSponsor = (
  { localnet }: Pick<PoolWorld, 'localnet'>,
  address: string,
  ledger: number,
): readonly SponsorTransaction[] =>
  transactionsAfter(localnet.network, ledger).flatMap((each) => of(address, each))

function of(address: string, applied: AppliedTransaction): readonly SponsorTransaction[] {
  const text = Buffer.from(applied.envelopeXdr).toString('base64')
  const envelope = TransactionBuilder.fromXdr(text, passphrases[network])
  const isFeeBump = 'innerTransaction' in envelope
  // In a pool with channels the source is a channel, and the sponsor pays through a fee bump.
  if ((isFeeBump ? envelope.feeSource : envelope.source) !== address) return []
  const { operations: all } = isFeeBump ? envelope.innerTransaction : envelope
  const operations = all.map(({ type }) => type)
  const fee = xdr.TransactionResult.fromXdr(applied.resultXdr).feeCharged
  return [{ hash: applied.hash, successful: applied.successful, fee: BigInt(fee), operations }]
}
