/** A network with a fake clock, and short functions for transactions and ledger entries. */
import {
  Account,
  type Asset,
  type FeeBumpTransaction,
  Keypair,
  type Memo,
  Networks,
  type Transaction,
  TransactionBuilder,
  xdr,
} from '@stellar/stellar-sdk'
import type { AppliedTransaction } from '../../../src/localnet/closing/history.ts'
import type { FaucetRequest } from '../../../src/localnet/faucet/transaction.ts'
import { decodeAccount, type Account as Entry } from '../../../src/localnet/ledger/account.ts'
import { accountIdFromAddress } from '../../../src/localnet/ledger/account-id.ts'
import { keyXdr } from '../../../src/localnet/ledger/entry-record.ts'
import { accountKey, trustlineKey } from '../../../src/localnet/ledger/keys.ts'
import { decodeTrustline, type Trustline } from '../../../src/localnet/ledger/trustline.ts'
import type { LocalnetOptions } from '../../../src/localnet/localnet-options.ts'
import { Localnet } from '../../../src/localnet/network.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { genesisOf } from '../../support/genesis.ts'

export const XLM = 10_000_000n
export const passphrase = Networks.TESTNET

/** Fixed keys, so that every run has the same output. */
export const key = (n: number): Keypair => Keypair.fromRawEd25519Seed(Buffer.alloc(32, n))

export interface TestNetwork {
  readonly net: Localnet
  readonly clock: FakeClock
}

const testnet = await genesisOf()
/** Options on which the entries of the first ledger depend. */
const ofGenesis = new Set<string>([
  'passphrase',
  'limits',
  'ledgerMaxTxCount',
  'entryTtls',
  'upto',
  'snapshot',
] satisfies (keyof LocalnetOptions)[])

export function openNetwork(
  options: Omit<LocalnetOptions, 'clock'> = {},
  clock = new FakeClock(),
): TestNetwork {
  const isTestnet = !Object.keys(options).some((name) => ofGenesis.has(name))
  const start = isTestnet ? { snapshot: testnet(clock.now(), options.maxOperations) } : {}
  return { net: new Localnet({ ...start, ...options, clock }), clock }
}

export type Op = xdr.Operation

/** The operation of a contract call, and the resources that its transaction declares. */
export interface PreparedCall {
  readonly operation: Op
  readonly data: xdr.SorobanTransactionData
}

export interface Envelope {
  toEnvelope(): xdr.TransactionEnvelope
}

export interface TransactionParts {
  readonly source: Keypair
  /** @default the operation of `call` */
  readonly operations?: readonly Op[]
  readonly call?: PreparedCall | undefined
  readonly signers?: readonly Keypair[]
  readonly fee?: string
  readonly memo?: Memo
  /** Added to the next sequence number. */
  readonly sequenceOffset?: bigint
  readonly conditions?: (builder: TransactionBuilder) => TransactionBuilder
}

/** Signed by its source, or by `signers` where given. */
export function build(net: Localnet, parts: TransactionParts): Transaction {
  const { source, call, signers = [source] } = parts
  const { operations = call ? [call.operation] : [] } = parts
  const at = (account(net, source)?.sequence ?? 0n) + (parts.sequenceOffset ?? 0n)
  const options = {
    fee: parts.fee ?? '100',
    networkPassphrase: passphrase,
    ...(parts.memo && { memo: parts.memo }),
    ...(call && { sorobanData: call.data }),
  }
  let builder = new TransactionBuilder(new Account(source.publicKey(), at.toString()), options)
  for (const operation of operations) builder = builder.addOperation(operation)
  const conditioned = parts.conditions?.(builder) ?? builder.setTimeout(0)
  const transaction = conditioned.build()
  for (const signer of signers) transaction.sign(signer)
  return transaction
}

/** Pays for another transaction; the rate is of each operation, and of one more. */
export function bump(payer: Keypair, inner: Transaction, rate = '1000'): FeeBumpTransaction {
  const bumped = TransactionBuilder.buildFeeBumpTransaction(payer, rate, inner, passphrase)
  bumped.sign(payer)
  return bumped
}

export const bytesOf = (transaction: Envelope): Uint8Array => transaction.toEnvelope().toXdr()

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

/** Gifts of the faucet in one ledger, in stroops or base units. */
export async function give(net: Localnet, requests: readonly FaucetRequest[]) {
  const gifts = requests.map((request) => net.faucet(request))
  const [ledger, given] = await Promise.all([net.closeLedger(), Promise.all(gifts)])
  return { ledger, gifts: given }
}

/** Gives each account whole units in one ledger. */
export const fund = (
  net: Localnet,
  keys: readonly Keypair[],
  units = 1_000n,
  asset: FaucetRequest['asset'] = 'XLM',
) =>
  give(
    net,
    keys.map((it) => ({ address: it.publicKey(), asset, amount: units * XLM })),
  )

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

export function metaOf({ resultMetaXdr }: AppliedTransaction): xdr.TransactionMetaV4 {
  const meta = xdr.TransactionMeta.fromXdr(resultMetaXdr)
  if (meta.type !== 'v4') throw new TypeError(`meta of version ${meta.type}`)
  return meta.v4
}

/** `'State account'` and the like. */
export const changeNames = (changes: readonly xdr.LedgerEntryChange[]): string[] =>
  changes.map((change) => {
    const entry = change.type === 'ledgerEntryRemoved' ? change.removed : change.value.data
    return `${change.type.replace('ledgerEntry', '')} ${entry.type}`
  })

/** What the meta of a Soroban transaction says about its resource fee, in stroops; zero of a classic one. */
export function resourceFees(applied: AppliedTransaction) {
  const ext = metaOf(applied).sorobanMeta?.ext
  if (ext?.type !== 'v1') return { nonRefundable: 0n, rent: 0n, events: 0n }
  const { rentFeeCharged: rent, totalRefundableResourceFeeCharged: refundable } = ext.v1
  const { totalNonRefundableResourceFeeCharged: nonRefundable } = ext.v1
  return { nonRefundable, rent, events: refundable - rent }
}

/** Submits, closes a ledger, and returns the applied transaction; throws the codes of a rejected one. */
export async function apply(net: Localnet, transaction: Envelope): Promise<AppliedTransaction> {
  const sent = net.submit(bytesOf(transaction))
  if (sent.status !== 'PENDING') {
    throw new Error(`${sent.status} ${sent.resultXdr ? codes(sent.resultXdr).join(' ') : ''}`)
  }
  await net.closeLedger()
  const applied = net.transaction(sent.hash)
  if (!applied) throw new Error(`transaction ${sent.hash} is in no ledger`)
  return applied
}
