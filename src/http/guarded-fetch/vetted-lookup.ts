import type { LookupAddress, LookupAllOptions } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { isPublicAddress } from './public-address.ts'

/** Resolves a host name to all its addresses, as `dns.lookup` does. */
export type Resolve = (hostname: string, options: LookupAllOptions) => Promise<LookupAddress[]>

/** The address that a request would go to is not a public one. */
export class UnsafeAddress extends Error {
  override readonly name = 'UnsafeAddress'
  readonly code = 'unsafe_address'

  constructor(address: string) {
    super(`${address} is not a public address.`)
  }
}

/**
 * A `lookup` for sockets that answers with vetted addresses only: when one of a name's addresses is not public, the
 * connection fails with `UnsafeAddress`. The socket dials what this function answers and resolves nothing again, so a
 * name whose records change between two lookups (DNS rebinding) gains nothing.
 */
export function vettedLookup(resolve: Resolve, allowLoopback: boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }).then(
      (addresses) => {
        const unsafe = addresses.find(({ address }) => !isPublicAddress(address, allowLoopback))
        const [first] = addresses
        if (unsafe) callback(new UnsafeAddress(unsafe.address), '')
        else if (!first)
          callback(
            Object.assign(new Error(`${hostname} has no address.`), { code: 'ENOTFOUND' }),
            '',
          )
        else if (options.all) callback(null, addresses)
        else callback(null, first.address, first.family)
      },
      (error: Error) => callback(error, ''),
    )
  }
}
