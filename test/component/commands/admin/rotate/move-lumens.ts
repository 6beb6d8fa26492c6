/** Moves XLM of a sponsor to another account, as an administrator does with a wallet. */
import {
  Account,
  Asset,
  BASE_FEE,
  Keypair,
  Operation,
  TransactionBuilder,
} from '@stellar/stellar-sdk'
import { decimalAmount } from '../../../../../src/platform/core/amounts/decimal.ts'
import { accountEntry } from '../../../../support/ledger-view.ts'
import type { AdminWorld, Sponsor } from '../../admin-world.ts'

/** @param amount stroops; `all` merges the account, which only one that sponsors nothing can do */
export async function moveLumens(
  { ledgers }: AdminWorld,
  from: Sponsor,
  to: Sponsor,
  amount: bigint | 'all',
): Promise<boolean> {
  const key = Keypair.fromSecret(from.secret)
  const { seqNum } = accountEntry(ledgers, from.address)
  const account = new Account(from.address, seqNum.toString())
  const destination = to.address
  const operation =
    amount === 'all'
      ? Operation.accountMerge({ destination })
      : Operation.payment({
          destination,
          asset: Asset.native(),
          amount: decimalAmount(amount, 7),
        })
  const transaction = new TransactionBuilder(account, {
    fee: BASE_FEE,
    networkPassphrase: ledgers.passphrase,
  })
    .addOperation(operation)
    .setTimeout(60)
    .build()
  transaction.sign(key)
  const { hash } = ledgers.submit(transaction.toEnvelope().toXdr())
  await ledgers.closeLedger()
  return ledgers.transaction(hash)?.successful ?? false
}
