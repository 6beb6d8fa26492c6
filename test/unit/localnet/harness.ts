/** A network with a fake clock, and short functions for transactions and ledger entries. */
import {
  Account,
  type Asset,
  Keypair,
  type Memo,
  Networks,
  type Transaction,
  TransactionBuilder,
  xdr,
} from '@stellar/stellar-sdk'
import { friendbotId, issuerId } from '../../../src/localnet/genesis.ts'
import type { AppliedTransaction } from '../../../src/localnet/history.ts'
import { decodeAccount, type Account as Entry } from '../../../src/localnet/ledger/account.ts'
import { accountIdFromAddress, addressOf } from '../../../src/localnet/ledger/account-id.ts'
import { keyXdr } from '../../../src/localnet/ledger/entry-record.ts'
import { accountKey, trustlineKey } from '../../../src/localnet/ledger/keys.ts'
import { decodeTrustline, type Trustline } from '../../../src/localnet/ledger/trustline.ts'
import type { LocalnetOptions } from '../../../src/localnet/localnet-options.ts'
import { Localnet } from '../../../src/localnet/network.ts'
import { rootKeypair } from '../../../src/localnet/root-account.ts'
import { FakeClock } from '../../support/fake-clock.ts'

export const XLM = 10_000_000n
export const passphrase = Networks.TESTNET

/** Fixed keys, so that every run has the same output. */
export const key = (n: number): Keypair => Keypair.fromRawEd25519Seed(Buffer.alloc(32, n))

export interface TestNetwork {
  readonly net: Localnet
  readonly clock: FakeClock
}

export function openNetwork(options: Omit<LocalnetOptions, 'clock'> = {}): TestNetwork {
  const clock = new FakeClock()
  return { net: new Localnet({ ...options, clock }), clock }
}

export type Op = xdr.Operation

export interface TransactionParts {
  readonly source: Keypair
  readonly operations: readonly Op[]
  readonly signers?: readonly Keypair[]
  readonly fee?: string
  readonly memo?: Memo
  /** Added to the next sequence number. */
  readonly sequenceOffset?: bigint
  readonly conditions?: (builder: TransactionBuilder) => TransactionBuilder
  readonly sorobanData?: xdr.SorobanTransactionData
}

/** Signed by its source, or by `signers` where given. */
export function build(net: Localnet, parts: TransactionParts): Transaction {
  const { source, operations, signers = [source] } = parts
  const at = (account(net, source)?.sequence ?? 0n) + (parts.sequenceOffset ?? 0n)
  const options = {
    fee: parts.fee ?? '100',
    networkPassphrase: passphrase,
    ...(parts.memo && { memo: parts.memo }),
    ...(parts.sorobanData && { sorobanData: parts.sorobanData }),
  }
  let builder = new TransactionBuilder(new Account(source.publicKey(), at.toString()), options)
  for (const operation of operations) builder = builder.addOperation(operation)
  const conditioned = parts.conditions?.(builder) ?? builder.setTimeout(0)
  const transaction = conditioned.build()
  for (const signer of signers) transaction.sign(signer)
  return transaction
}

export const bytesOf = (transaction: { toEnvelope(): xdr.TransactionEnvelope }): Uint8Array =>
  transaction.toEnvelope().toXdr()

export const account = (net: Localnet, who: Keypair | string): Entry | undefined => {
  const stored = net.entry(keyXdr(accountKey(idOf(who))))
  return stored && decodeAccount(stored.entry)
}

export const trustline = (
  net: Localnet,
  who: Keypair | string,
  asset: Asset,
): Trustline | undefined => {
  const stored = net.entry(keyXdr(trustlineKey(idOf(who), asset.toTrustLineXdrObject())))
  return stored && decodeTrustline(stored.entry)
}

export const idOf = (who: Keypair | string) =>
  accountIdFromAddress(typeof who === 'string' ? who : who.publicKey())

export const balance = (net: Localnet, who: Keypair | string): bigint =>
  account(net, who)?.balance ?? 0n

/** All lumens outside the fee pool, where a test created only these accounts. */
export function lumensHeld(net: Localnet, keys: readonly Keypair[]): bigint {
  const ids = [idOf(rootKeypair(net.networkId)), friendbotId(net.networkId), issuerId]
  const all = [...ids, ...keys.map(idOf)].map((id) => balance(net, addressOf(id)))
  return all.reduce((sum, it) => sum + it, 0n)
}

/** Gives each account lumens in one ledger. */
export async function fund(net: Localnet, keys: readonly Keypair[], lumens = 1_000n) {
  const gifts = keys.map((it) =>
    net.faucet({ address: it.publicKey(), asset: 'XLM', amount: lumens * XLM }),
  )
  await net.closeLedger()
  await Promise.all(gifts)
}

/** Codes of a result, outermost first: `['txFeeBumpInnerFailed', 'txFailed', 'paymentNoTrust']`. */
export function codes(resultXdr: Uint8Array): string[] {
  const { result } = xdr.TransactionResult.fromXdr(resultXdr)
  return codesOf(result)
}

function codesOf(result: xdr.TransactionResultResult | xdr.InnerTransactionResultResult): string[] {
  switch (result.type) {
    case 'txFeeBumpInnerSuccess':
    case 'txFeeBumpInnerFailed':
      return [result.type, ...codesOf(result.innerResultPair.result.result)]
    case 'txSuccess':
    case 'txFailed':
      return [result.type, ...result.results.map(operationCode)]
    default:
      return [result.type]
  }
}

const operationCode = (result: xdr.OperationResult): string =>
  result.type === 'opInner' ? result.tr.value.type : result.type

export const feeCharged = (resultXdr: Uint8Array): bigint =>
  xdr.TransactionResult.fromXdr(resultXdr).feeCharged

/** Submits, closes a ledger, and returns the applied transaction; throws the codes of a rejected one. */
export async function apply(
  net: Localnet,
  transaction: { toEnvelope(): xdr.TransactionEnvelope },
): Promise<AppliedTransaction> {
  const sent = net.submit(bytesOf(transaction))
  if (sent.status !== 'PENDING') {
    throw new Error(`${sent.status} ${sent.resultXdr ? codes(sent.resultXdr).join(' ') : ''}`)
  }
  await net.closeLedger()
  const applied = net.transaction(sent.hash)
  if (!applied) throw new Error(`transaction ${sent.hash} is in no ledger`)
  return applied
}

/** The codes of the result, at submission or in a ledger. */
export async function outcome(
  net: Localnet,
  transaction: { toEnvelope(): xdr.TransactionEnvelope },
): Promise<string[]> {
  const sent = net.submit(bytesOf(transaction))
  if (sent.status !== 'PENDING') {
    return [sent.status, ...(sent.resultXdr ? codes(sent.resultXdr) : [])]
  }
  await net.closeLedger()
  const applied = net.transaction(sent.hash)
  return applied ? codes(applied.resultXdr) : ['dropped']
}
