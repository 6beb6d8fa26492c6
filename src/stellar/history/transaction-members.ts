/**
 * The parts of a transaction as Stellar RPC lists it: in base64 XDR, or in JSON (SEP-51) in members of the same name, of
 * versions before and since protocol 23. Every function throws when a member has another shape.
 */
import { xdr } from '@stellar/stellar-sdk'
import type { RawTransaction } from '../rpc/pages/transaction-pages.ts'
import { type ContractEvent, scanContractEvent, scanDiagnosticEvent } from './scan/scan-event.ts'

type Members = RawTransaction['raw']

/** An XDR class of the SDK. */
interface XdrClass {
  fromJson(json: unknown): { toXdr(): Uint8Array }
}

/** XDR of the `TransactionEnvelope`. */
export const envelopeBytes = ({ envelopeXdr, envelopeJson }: Members): Buffer =>
  bytesOf(envelopeXdr ?? envelopeJson, xdr.TransactionEnvelope)

const SUCCESS = 0
const FEE_BUMP_INNER_SUCCESS = 1
const INT64_BYTES = 8

/** Reads from the `TransactionResult` the fee charged, in stroops, and whether the transaction succeeded. */
export function scanResult({ resultXdr, resultJson }: Members) {
  const bytes = bytesOf(resultXdr ?? resultJson, xdr.TransactionResult)
  const code = bytes.readInt32BE(INT64_BYTES)
  return {
    feeCharged: bytes.readBigInt64BE(0),
    isSuccess: code === SUCCESS || code === FEE_BUMP_INNER_SUCCESS,
  }
}

/** XDR of the `TransactionMeta`; undefined where the endpoint leaves it out. */
export function metaBytes({ resultMetaXdr, resultMetaJson }: Members): Buffer | undefined {
  const encoded = resultMetaXdr ?? resultMetaJson
  return encoded ? bytesOf(encoded, xdr.TransactionMeta) : undefined
}

/**
 * The events that contracts emitted in a transaction that succeeded. They are in `events` since protocol 23, before that
 * in the meta; and among the diagnostic events, where an endpoint keeps those and leaves the meta out.
 */
export function contractEvents(members: Members): readonly ContractEvent[] {
  const events = listedEvents(members) ?? eventsOfMeta(members) ?? diagnosticEvents(members)
  if (events) return events.filter((event) => event !== undefined)
  // Stellar RPC leaves empty lists out.
  if (isObject(members['events'])) return []
  throw new TypeError('a transaction without events and meta')
}

type Events = readonly (ContractEvent | undefined)[] | undefined

function listedEvents({ events }: Members): Events {
  if (!isObject(events)) return undefined
  const perOperation = events['contractEventsXdr'] ?? events['contractEventsJson']
  if (!perOperation) return undefined
  return listOf(perOperation).flatMap((ofOperation) =>
    listOf(ofOperation).map((event) => scanContractEvent(bytesOf(event, xdr.ContractEvent))),
  )
}

function eventsOfMeta(members: Members): Events {
  const encoded = metaBytes(members)
  if (!encoded) return undefined
  const meta = xdr.TransactionMeta.fromXdr(encoded)
  switch (meta.type) {
    case 'v3':
      return meta.v3.sorobanMeta?.events.map(scanDecoded)
    case 'v4':
      return meta.v4.operations.flatMap(({ events }) => events.map(scanDecoded))
    default:
      return undefined
  }
}

const scanDecoded = (event: xdr.ContractEvent) => scanContractEvent(Buffer.from(event.toXdr()))

function diagnosticEvents({ diagnosticEventsXdr, diagnosticEventsJson }: Members): Events {
  const events = diagnosticEventsXdr ?? diagnosticEventsJson
  if (!events) return undefined
  return listOf(events).map((event) => scanDiagnosticEvent(bytesOf(event, xdr.DiagnosticEvent)))
}

function bytesOf(member: unknown, type: XdrClass): Buffer {
  if (typeof member === 'string') return Buffer.from(member, 'base64')
  return Buffer.from(type.fromJson(member).toXdr())
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new TypeError('expected a list')
}
