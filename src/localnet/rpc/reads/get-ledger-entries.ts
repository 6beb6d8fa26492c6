import { xdr } from '@stellar/stellar-sdk'
import { z } from 'zod'
import type { StoredEntry } from '../../soroban/instance.ts'
import type { RpcContext } from '../context.ts'
import { readFormat, readParams, xdrFormat } from '../params.ts'
import { invalidParams } from '../rpc-fault.ts'
import type { XdrFields } from './xdr-fields.ts'
import { readBase64, xdrFields } from './xdr-fields.ts'

const MAX_KEYS = 200

const Request = z.object({ keys: z.array(z.string()).nullish(), xdrFormat })

/** Entries in the order of the requested keys, without those that do not exist. */
export function getLedgerEntries({ network }: RpcContext, params: unknown) {
  const request = readParams(Request, params)
  const fields = xdrFields(readFormat(request.xdrFormat))
  const keys = request.keys ?? []
  if (keys.length > MAX_KEYS) {
    throw invalidParams(`key count (${keys.length}) exceeds maximum supported (${MAX_KEYS})`)
  }
  const latestLedger = network.latest.sequence
  const entries = keys.map(readKey).flatMap((key) => {
    const stored = network.entry(key.bytes)
    if (!stored || isGone(key.value, stored, latestLedger)) return []
    return [entryResult(key.bytes, stored, latestLedger, fields)]
  })
  return { entries, latestLedger }
}

interface Key {
  readonly bytes: Uint8Array
  readonly value: xdr.LedgerKey
}

function readKey(text: string, index: number): Key {
  const key = readBase64(text, (bytes) => ({ bytes, value: xdr.LedgerKey.fromXdr(bytes) }))
  if (!key) throw invalidParams(`cannot unmarshal key value ${text} at index ${index}`)
  if (key.value.type === 'ttl') {
    throw invalidParams('ledger ttl entries cannot be queried directly')
  }
  return key
}

const isPast = ({ liveUntil }: StoredEntry, ledger: number): boolean =>
  liveUntil !== undefined && liveUntil < ledger

/** An expired temporary entry counts as deleted; a persistent one is archived. */
const isGone = (key: xdr.LedgerKey, stored: StoredEntry, ledger: number): boolean =>
  key.type === 'contractData' &&
  key.contractData.durability.name === 'temporary' &&
  isPast(stored, ledger)

function entryResult(
  key: Uint8Array,
  stored: StoredEntry,
  ledger: number,
  fields: XdrFields,
): Record<string, unknown> {
  const entry = xdr.LedgerEntry.fromXdr(stored.entry)
  return {
    ...fields.one(['key', 'keyJson'], xdr.LedgerKey, key),
    ...fields.one(['xdr', 'dataJson'], xdr.LedgerEntryData, entry.data.toXdr()),
    lastModifiedLedgerSeq: entry.lastModifiedLedgerSeq,
    // Stellar RPC writes zero for archived entries: core does not keep their last TTL.
    ...(stored.liveUntil === undefined
      ? {}
      : { liveUntilLedgerSeq: isPast(stored, ledger) ? 0 : stored.liveUntil }),
    ...fields.one(['extXdr', 'extJson'], xdr.LedgerEntryExt, entry.ext.toXdr()),
  }
}
