import type { LookupFunction } from 'node:net'
import { isPublicAddress } from './public-address.ts'
import type { Resolve } from './resolve-host.ts'

/** One of the addresses that a name leads to is not public. Does not name it: it may be one of a private network. */
export class UnsafeAddress extends Error {
  override readonly name = 'UnsafeAddress'
  readonly code = 'unsafe_address'

  constructor(hostname: string) {
    super(`${hostname} leads to an address that is not public.`)
  }
}

/**
 * A `lookup` for sockets that answers with vetted addresses only: when one of a name's addresses is not public, the
 * connection fails with `UnsafeAddress`. The socket dials what this function answers and resolves nothing again, so a
 * name whose records change between two lookups (DNS rebinding) gains nothing.
 */
export function vettedLookup(resolve: Resolve, allowLoopback: boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses
        if (addresses.some(({ address }) => !isPublicAddress(address, allowLoopback))) {
          callback(new UnsafeAddress(hostname), '')
        } else if (!first) {
          const error = new Error(`${hostname} has no address.`)
          callback(Object.assign(error, { code: 'ENOTFOUND' }), '')
        } else if (options.all) callback(null, [...addresses])
        else callback(null, first.address, first.family)
      },
      (error: Error) => callback(error, ''),
    )
  }
}
