/** Finds the payment of an envelope in another transaction: who sees an authorization can use it in one of their own. */
import { Address, type xdr } from '@stellar/stellar-sdk'
import { addressCredentials } from '../authorization/auth-entry.ts'
import { type MadeTransfer, RpcError, type TransferQuery } from '../rpc/rpc.ts'
import type { CallRpc } from '../rpc/transport/json-rpc.ts'
import { ledgerRange } from './ledger-range.ts'
import { payerTransfers } from './payer-transfers.ts'
import { authorizationsOf, scanEnvelope } from './scan-envelope.ts'

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
  for (const { transaction, ledger, proof } of transfers) {
    const proven = await proof()
    if (!proven) unread ??= transaction
    if (!proven?.used.has(nonce)) continue
    // The ledger takes a nonce once: no other transaction can have used it.
    const isSame = hasSameInvocations(query, proven.envelopeXdr)
    if (!isSame) return { state: 'not_made', latestLedger }
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
 * Whether the entries of this nonce authorize the same call in both envelopes, and nothing else. An event alone would not
 * do: a payer can use two nonces in one transaction, of which one allows the transfer, and the other one something else.
 */
function hasSameInvocations({ envelopeXdr, ...of }: TransferQuery, other: string): boolean {
  const [signed] = invocationsOf(envelopeXdr, of)
  const used = invocationsOf(other, of)
  return (
    signed !== undefined &&
    used.length > 0 &&
    used.every((each) => Buffer.compare(each, signed) === 0)
  )
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
