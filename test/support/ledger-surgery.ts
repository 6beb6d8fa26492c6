/**
 * Puts an entry of the last closed ledger into a state that would take months, or operations that the
 * embedded network lacks. The host then handles it like any other.
 */
import { xdr } from '@stellar/stellar-sdk'
import type { Localnet } from '../../src/localnet/network.ts'

/** Makes an entry expire with the ledger before the latest, so that it is archived. */
export const archive = (network: Localnet, key: Uint8Array): void => setTtl(network, key, -1)

/** Makes an entry expire so many ledgers after the latest. */
export function setTtl(network: Localnet, key: Uint8Array, ledgers: number): void {
  Object.assign(stored(network, key), { liveUntil: network.latest.sequence + ledgers })
}

/** How many ledgers after the latest an entry expires. */
export const ttlOf = (network: Localnet, key: Uint8Array): number =>
  (network.entry(key)?.liveUntil ?? Number.NaN) - network.latest.sequence

/** Rewrites an entry in place. */
export function rewrite(
  network: Localnet,
  key: Uint8Array,
  change: (data: xdr.LedgerEntryData) => void,
): void {
  const record = stored(network, key)
  const entry = xdr.LedgerEntry.fromXdr(record.entry)
  change(entry.data)
  Object.assign(record, { entry: entry.toXdr() })
}

function stored(network: Localnet, key: Uint8Array) {
  const record = network.entry(key)
  if (!record) throw new Error('there is no such entry')
  return record
}
