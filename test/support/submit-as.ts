import { Account, BASE_FEE, Keypair, TransactionBuilder, type xdr } from '@stellar/stellar-sdk'
import type { Localnet } from '../../src/localnet/network.ts'
import { accountEntry } from './ledger-view.ts'

/** What the ledger charges for it, in stroops. */
export const SUBMIT_FEE = BigInt(BASE_FEE)

/** Sends one operation of the account with this seed, as any wallet could. Resolves when a ledger has it, and it has succeeded. */
export async function submitAs(
  ledgers: Localnet,
  secret: string,
  operation: xdr.Operation,
  ...otherSigners: readonly Keypair[]
): Promise<void> {
  const key = Keypair.fromSecret(secret)
  const { seqNum } = accountEntry(ledgers, key.publicKey())
  const transaction = new TransactionBuilder(new Account(key.publicKey(), seqNum.toString()), {
    fee: BASE_FEE,
    networkPassphrase: ledgers.passphrase,
  })
    .addOperation(operation)
    // Close times of a test may be far ahead of its clock.
    .setTimeout(0)
    .build()
  transaction.sign(key, ...otherSigners)
  const { hash } = ledgers.submit(transaction.toEnvelope().toXdr())
  await ledgers.closeLedger()
  if (!ledgers.transaction(hash)?.successful) throw new Error('the ledger refused the operation')
}
