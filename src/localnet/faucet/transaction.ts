/**
 * Faucet payments are real transactions, with fees, results, meta and events, but without signatures.
 * They are written when a ledger closes, against the state of the ledger before it.
 */
import { Address, Contract, nativeToScVal, Operation, StrKey, xdr } from '@stellar/stellar-sdk'
import { decimalAmount } from '../../platform/core/amounts/decimal.ts'
import type { AppliedTransaction } from '../closing/history.ts'
import { type FaucetAsset, faucetAssets, USDC_ISSUER } from '../genesis/genesis-assets.ts'
import {
  type AccountId,
  accountIdFromAddress,
  addressOf,
  muxedAccountOf,
  publicKeyOf,
} from '../ledger/account-id.ts'
import type { LedgerReader } from '../ledger/entry-store.ts'
import { accountExists, loadTrustline } from '../ledger/typed-entries.ts'
import type { SorobanHost } from '../soroban/host.ts'
import type { LedgerContext } from '../soroban/ledger-context.ts'

export interface FaucetRequest {
  /** A G or C address. */
  readonly address: string
  readonly asset: FaucetAsset
  /** In the asset's smallest unit, 10^-7. */
  readonly amount: bigint
}

/** Friendbot's payment: 10,000 XLM. */
export const STARTING_BALANCE = 10_000n * 10_000_000n

/** The payment's transaction failed or could not be written. */
export class FaucetFailure extends Error {
  override readonly name = 'FaucetFailure'
}

export interface PendingRequest {
  readonly request: FaucetRequest
  readonly resolve: (transaction: AppliedTransaction) => void
  readonly reject: (reason: FaucetFailure) => void
}

export interface FaucetContext {
  readonly reader: LedgerReader
  readonly ledger: LedgerContext
  readonly host: SorobanHost
  /** Source of the transactions and of the XLM. */
  readonly friendbot: AccountId
  readonly passphrase: string
  /** 32 bytes for simulations. */
  readonly seed: Uint8Array
}

interface TransactionBody {
  readonly operations: readonly xdr.Operation[]
  readonly soroban?: xdr.SorobanTransactionData
}

/** Throws RangeError for an amount out of range, and for an address that is neither G nor C. */
export function checkRequest({ address, amount }: FaucetRequest): void {
  if (amount <= 0n || amount >= 2n ** 63n) throw new RangeError(`amount out of range: ${amount}`)
  if (StrKey.isValidEd25519PublicKey(address) || StrKey.isValidContract(address)) return
  throw new RangeError(`neither an account nor a contract address: ${address}`)
}

/** Throws FaucetFailure when the contract cannot be paid. */
export function faucetTransaction(
  requests: readonly FaucetRequest[],
  context: FaucetContext,
): TransactionBody {
  const [first] = requests
  if (!first) return { operations: [] }
  return StrKey.isValidContract(first.address)
    ? paymentToContract(first, context)
    : paymentToAccount(first.address, requests, context)
}

/** One transaction for all requests of an account, so that account and trustline are created only once. */
function paymentToAccount(
  address: string,
  requests: readonly FaucetRequest[],
  { reader, friendbot }: FaucetContext,
): TransactionBody {
  const id = accountIdFromAddress(address)
  const source = addressOf(friendbot)
  const total = (asset: FaucetAsset): bigint =>
    requests.reduce((sum, it) => (it.asset === asset ? sum + it.amount : sum), 0n)
  const [xlm, usdc] = [total('XLM'), total('USDC')]
  const exists = accountExists(reader, id)
  const operations: xdr.Operation[] = []
  if (!exists) {
    const startingBalance = decimal(xlm > 0n ? xlm : STARTING_BALANCE)
    operations.push(Operation.createAccount({ destination: address, startingBalance, source }))
  } else if (xlm > 0n) {
    operations.push(payment(address, { asset: 'XLM', amount: xlm, source }))
  }
  if (usdc > 0n && address !== USDC_ISSUER) {
    const asset = faucetAssets.USDC
    const trusts = loadTrustline(reader, id, asset.toTrustLineXdrObject()) !== undefined
    if (!trusts) operations.push(Operation.changeTrust({ asset, source: address }))
    operations.push(payment(address, { asset: 'USDC', amount: usdc, source: USDC_ISSUER }))
  }
  return { operations }
}

const payment = (
  destination: string,
  { asset, amount, source }: { asset: FaucetAsset; amount: bigint; source: string },
): xdr.Operation =>
  Operation.payment({ destination, asset: faucetAssets[asset], amount: decimal(amount), source })

/** The USDC issuer mints through the asset contract; friendbot transfers XLM through its contract. */
function paymentToContract(request: FaucetRequest, context: FaucetContext): TransactionBody {
  const asset = faucetAssets[request.asset]
  const contract = new Contract(asset.contractId(context.passphrase))
  const to = Address.fromString(request.address).toScVal()
  const amount = nativeToScVal(request.amount, { type: 'i128' })
  const source = request.asset === 'USDC' ? USDC_ISSUER : addressOf(context.friendbot)
  const call =
    request.asset === 'USDC'
      ? contract.call('mint', to, amount)
      : contract.call('transfer', Address.fromString(source).toScVal(), to, amount)
  return simulated(call, accountIdFromAddress(source), context)
}

function simulated(
  call: xdr.Operation,
  source: AccountId,
  context: FaucetContext,
): TransactionBody {
  const { ledger, host, seed } = context
  const { body } = call
  if (body.type !== 'invokeHostFunction') throw new TypeError(`not a call: ${body.type}`)
  const { hostFunction } = body.invokeHostFunctionOp
  const output = host.simulate({
    ledger,
    hostFunction: hostFunction.toXdr(),
    source: publicKeyOf(source).toXdr(),
    mode: 'record',
    seed,
  })
  if (!output.result.ok) throw new FaucetFailure(output.result.failure.text)
  if (!output.transactionData) throw new FaucetFailure('the simulation returned no footprint')
  const operation = new xdr.Operation({
    sourceAccount: muxedAccountOf(source),
    body: xdr.OperationBody.invokeHostFunction(
      new xdr.InvokeHostFunctionOp({
        hostFunction,
        auth: output.auth.map((entry) => xdr.SorobanAuthorizationEntry.fromXdr(entry)),
      }),
    ),
  })
  const soroban = xdr.SorobanTransactionData.fromXdr(output.transactionData)
  return { operations: [operation], soroban }
}

export function faucetEnvelope(
  body: TransactionBody,
  source: AccountId,
  sequence: bigint,
): Uint8Array {
  const BASE_FEE = 100n
  const fee = BASE_FEE * BigInt(body.operations.length) + (body.soroban?.resourceFee ?? 0n)
  const tx = new xdr.Transaction({
    sourceAccount: muxedAccountOf(source),
    fee: Number(fee),
    seqNum: sequence,
    cond: xdr.Preconditions.precondNone(),
    memo: xdr.Memo.memoNone(),
    operations: [...body.operations],
    ext: body.soroban ? xdr.TransactionExt.sorobanData(body.soroban) : xdr.TransactionExt.v0(),
  })
  return xdr.TransactionEnvelope.envelopeTypeTx(
    new xdr.TransactionV1Envelope({ tx, signatures: [] }),
  ).toXdr()
}

/** The SDK's operations take amounts as decimals with seven places. */
const decimal = (units: bigint): string => decimalAmount(units, 7)
