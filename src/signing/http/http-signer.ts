/** A key service that speaks the signing protocol: HTTP/1.1 and JSON, over mutual TLS or a Unix socket. */
import { request } from 'undici'
import { jsonOf } from '../../platform/core/errors/read-answer.ts'
import type { SigningRequest } from '../../stellar/accounts/envelope-signer.ts'
import type { KeyService, SigningResult } from '../key-service.ts'
import type { HttpPlace } from '../signer-place.ts'
import { readKeyAnswer, readSignAnswer } from './answers.ts'
import { openConnections } from './connections.ts'
import { problemOfError, problemOfStatus } from './problems.ts'

/** A hundred refusals with the longest reasons that are read. */
const MAX_ANSWER_BYTES = 128 * 1024
const MAX_ANSWER_VALUES = 1_000
/** The protocol's limit on a body is 8 MiB: as much is left for what surrounds the envelopes. */
const MAX_ENVELOPES_CHARACTERS = 7 * 1024 * 1024

/** Opens no connection yet. The signal of each call limits its time. */
export function openHttpSigner(place: HttpPlace): KeyService {
  const connections = openConnections(place)
  const base = 'url' in place.endpoint ? place.endpoint.url.replace(/\/+$/, '') : 'http://signer'

  const ask = async (path: string, body: object | undefined, signal: AbortSignal) => {
    try {
      signal.throwIfAborted()
      const answer = await request(`${base}${path}`, {
        dispatcher: await connections.agent(),
        signal,
        // The signal is what limits the time.
        headersTimeout: 0,
        bodyTimeout: 0,
        ...(body && {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      })
      if (answer.statusCode !== 200) {
        await answer.body.dump({ limit: MAX_ANSWER_BYTES, signal })
        throw problemOfStatus(answer.statusCode)
      }
      const limits = { maxBytes: MAX_ANSWER_BYTES, maxValues: MAX_ANSWER_VALUES }
      return await jsonOf(answer, limits)
    } catch (error) {
      signal.throwIfAborted()
      throw problemOfError(error)
    }
  }

  return {
    publicKey: async (signal) => readKeyAnswer(await ask('/v1/key', undefined, signal)),
    sign: async (requests, signal) => {
      const results: SigningResult[] = []
      for (const part of partsOf(requests)) {
        const body = { requests: part.map(toWire) }
        results.push(...readSignAnswer(await ask('/v1/sign', body, signal), part.length))
      }
      return results
    },
    [Symbol.asyncDispose]: () => connections[Symbol.asyncDispose](),
  }
}

/** Never the hash: the service computes it from what it has read. */
function toWire(request: SigningRequest): object {
  const { network, purpose, kind } = request
  return kind === 'transaction'
    ? { network, purpose, kind, envelope: request.envelopeXdr }
    : { network, purpose, kind, message: request.message }
}

/** In order. Only uploads of contracts, many at once, need more than one part. */
function partsOf(requests: readonly SigningRequest[]): readonly (readonly SigningRequest[])[] {
  const parts: SigningRequest[][] = []
  let left = 0
  for (const each of requests) {
    const characters = each.kind === 'transaction' ? each.envelopeXdr.length : each.message.length
    left -= characters
    const last = parts.at(-1)
    if (last && left >= 0) {
      last.push(each)
      continue
    }
    parts.push([each])
    left = MAX_ENVELOPES_CHARACTERS - characters
  }
  return parts
}
