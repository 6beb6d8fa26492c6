import { constants } from 'node:crypto'
import { Agent } from 'undici'
import { hostResolver, type Resolve } from './resolve-host.ts'
import { vettedLookup } from './vetted-lookup.ts'

/**
 * Says which addresses may be dialled: public ones alone, those and this machine, or all of them. `anywhere` is for a URL
 * that a person typed.
 */
export type Reach = 'public' | 'loopback_too' | 'anywhere'

/** TLS 1.3 has no renegotiation. With TLS 1.2 a server could take a request, and then show another certificate. */
const secureOptions = constants.SSL_OP_NO_RENEGOTIATION

/**
 * Connections to servers of strangers. The address that was vetted is the one dialled, no connection is used twice, and
 * none shows a second certificate. `maxHeaderBytes` holds for the headers of an answer.
 */
export const outboundAgent = ({
  reach,
  connectMs,
  maxHeaderBytes,
  resolve = hostResolver(),
}: Readonly<{
  reach: Reach
  connectMs: number
  maxHeaderBytes: number
  resolve?: Resolve
}>): Agent =>
  new Agent({
    connect: {
      ...(reach !== 'anywhere' && { lookup: vettedLookup(resolve, reach === 'loopback_too') }),
      timeout: connectMs,
      minVersion: 'TLSv1.2',
      secureOptions,
    },
    // The limits of headers hold for HTTP/1.1 only.
    allowH2: false,
    maxHeaderSize: maxHeaderBytes,
    // Zero: one request a connection.
    pipelining: 0,
    keepAliveTimeout: 1,
  })
