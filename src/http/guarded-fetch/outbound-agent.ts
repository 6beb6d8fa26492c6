import { Agent } from 'undici'
import { hostResolver, type Resolve } from './resolve-host.ts'
import { vettedLookup } from './vetted-lookup.ts'

/**
 * Which addresses may be dialled: public ones alone, those and this machine, or all of them. `anywhere` is for a URL
 * that a person typed.
 */
export type Reach = 'public' | 'loopback_too' | 'anywhere'

/**
 * Connections to servers of strangers. The address that was vetted is the one dialled, and no connection is used
 * twice. `maxHeaderBytes` holds for the headers of an answer.
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
    },
    // The limits of headers hold for HTTP/1.1 only.
    allowH2: false,
    maxHeaderSize: maxHeaderBytes,
    // Zero: one request a connection.
    pipelining: 0,
    keepAliveTimeout: 1,
  })
