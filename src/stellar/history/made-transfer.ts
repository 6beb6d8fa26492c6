/** Finds the payment of an envelope in another transaction: who sees an authorization can use it in one of their own. */
import { Address, type xdr } from '@stellar/stellar-sdk'
import { baseAddress } from '../accounts/strkey.ts'
import { addressCredentials } from '../authorization/auth-entry.ts'
import { type MadeTransfer, RpcError, type TransferQuery } from '../rpc/rpc.ts'
import type { CallRpc } from '../rpc/transport/json-rpc.ts'
import { ledgerRange } from './ledger-range.ts'
import { type PayerTransfer, payerTransfers } from './payer-transfers.ts'
import { authorizationsOf, scanEnvelope } from './scan/scan-envelope.ts'

type Proven = NonNullable<Awaited<ReturnType<PayerTransfer['proof']>>>
type Moves = PayerTransfer['moves']

/** Throws `RpcError`, of kind `not_retained` or `lagging` when the endpoint lacks a ledger of the search. */
export async function madeTransfer(
  call: CallRpc,
  query: TransferQuery,
  signal?: AbortSignal,
): Promise<MadeTransfer> {
  const { asset, payer, nonce, afterLedger } = query
  const range = await ledgerRange(call, signal)
  const { throughLedger = range.latestLedger } = query
  const window = { asset, payer, afterLedger, lastLedger: throughLedger }
  const { transfers, latestLedger } = await payerTransfers(call, window, range, signal)
  let unread: string | undefined
  for (const { transaction, ledger, amount, moves, proof } of transfers) {
    // Anybody can make a transfer of nothing appear.
    if (amount === 0n) continue
    const proven = await proof()
    if (!proven) unread ??= transaction
    if (!proven?.used.has(nonce)) continue
    // The ledger takes a nonce once: no other transaction can have used it.
    if (!hasMade(query, proven, moves)) return { state: 'not_made', latestLedger }
    const sources = sourcesOf(proven.envelopeXdr)
    return { state: 'made', transaction, ledger, sources, latestLedger }
  }
  if (range.oldestLedger > afterLedger + 1) {
    const message = `the endpoint has ledgers from ${range.oldestLedger} on, not ${afterLedger + 1}`
    throw new RpcError('not_retained', 'getEvents', message)
  }
  if (latestLedger < throughLedger) {
    const message = `the endpoint has ledgers up to ${latestLedger}, not ${throughLedger}`
    throw new RpcError('lagging', 'getEvents', message)
  }
  if (unread === undefined) return { state: 'not_made', latestLedger }
  const because = `transaction ${unread} moved tokens of the payer, and cannot be read with its meta`
  return { state: 'unknown', because, latestLedger }
}

function sourcesOf(envelopeXdr: string): readonly string[] {
  const { source, feeSource, operations } = scanEnvelope(Buffer.from(envelopeXdr, 'base64'))
  const all = [source, feeSource, ...operations.map((operation) => operation.source)]
  return [...new Set(all.flatMap((each) => each ?? []))]
}

/**
 * Whether the nonce was used for the call of our envelope. A transaction can carry several entries of one nonce: the host uses
 * one of them, and ignores those that nobody signed. So an entry beside ours proves nothing; then each nonce that can
 * have been used for this call needs a transfer of its own, since a payer can sign two calls under one nonce, and let the
 * transfer of another payment seem to be this one's.
 */
function hasMade(query: TransferQuery, { used, envelopeXdr }: Proven, moves: Moves): boolean {
  const { payer, nonce } = query
  const [signed] = invocationsOf(query.envelopeXdr, { payer, nonce })
  if (!signed) return false
  const isSame = (each: Uint8Array): boolean => Buffer.compare(each, signed) === 0
  const own = invocationsOf(envelopeXdr, { payer, nonce })
  if (own.length > 0 && own.every(isSame)) return true
  const perhapsUsed = [...used].filter((each) =>
    invocationsOf(envelopeXdr, { payer, nonce: each }).some(isSame),
  )
  const terms = termsOf(query.envelopeXdr)
  const made = moves.filter(({ to, amount }) => to === terms.to && amount === terms.amount)
  return perhapsUsed.includes(nonce) && made.length >= perhapsUsed.length
}

/** Whom the `transfer` of our envelope pays, and how much. */
function termsOf(envelopeXdr: string) {
  const { operations } = scanEnvelope(Buffer.from(envelopeXdr, 'base64'))
  const [, to, amount] = operations[0]?.call?.args ?? []
  if (to?.type !== 'address' || amount?.type !== 'i128') return { to: undefined, amount: undefined }
  return { to: baseAddress(to.value), amount: amount.value }
}

const invocationsOf = (
  envelopeXdr: string,
  of: Pick<TransferQuery, 'payer' | 'nonce'>,
): readonly Uint8Array[] =>
  authorizationsOf(Buffer.from(envelopeXdr, 'base64'))
    .filter((entry) => isOf(entry, of))
    .map(({ rootInvocation }) => rootInvocation.toXdr())

function isOf(
  { credentials }: xdr.SorobanAuthorizationEntry,
  { payer, nonce }: Pick<TransferQuery, 'payer' | 'nonce'>,
): boolean {
  const signer = addressCredentials(credentials)
  return signer?.nonce === nonce && Address.fromScAddress(signer.address).toString() === payer
}
