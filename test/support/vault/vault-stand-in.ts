import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createCertificate } from '../../../src/localnet/server/certificate.ts'
import { StandInTokens } from './stand-in-tokens.ts'
import { StandInTransit } from './stand-in-transit.ts'
import type { RunningVault } from './vault-admin.ts'

export interface StandInAnswer {
  readonly status: number
  /** A string is sent as it is, anything else as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

interface StandInRequest {
  readonly method: string
  /** Below `/v1/`. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Record<string, unknown>
}

/** A fault: what it returns is sent instead of the answer, and nothing while it waits. */
export type VaultFault = (
  request: StandInRequest,
) => StandInAnswer | undefined | Promise<StandInAnswer>

/**
 * Answers as Vault does, for the faults that a real one cannot be made to show and for machines without one. The contract in
 * test/component/signing runs against both.
 */
export interface VaultStandIn extends RunningVault {
  readonly tokens: StandInTokens
  /** The requests so far, those with faults too. */
  readonly requests: StandInRequest[]
  /** Undefined: no fault. */
  fault: VaultFault | undefined
}

export async function startVaultStandIn(): Promise<VaultStandIn> {
  const transit = new StandInTransit()
  const tokens = new StandInTokens()
  const requests: StandInRequest[] = []
  let sealed = false
  let fault: VaultFault | undefined
  let certificate = await createCertificate(Date.now(), 1)

  const withoutToken = async ({ path, body }: StandInRequest) => {
    if (path === 'sys/unseal') {
      sealed = false
      return { status: 200, body: {} }
    }
    if (sealed) return { status: 503, body: { errors: ['Vault is sealed'] } }
    return path === 'auth/kubernetes/login' ? tokens.handle(path, body, '') : undefined
  }

  const answerTo = async (request: StandInRequest): Promise<StandInAnswer> => {
    requests.push(request)
    const { method, path, body, headers } = request
    const early = (await fault?.(request)) ?? (await withoutToken(request))
    if (early) return early
    const token = String(headers['x-vault-token'])
    if (!tokens.may(token, path)) {
      return { status: 403, body: { errors: ['1 error occurred:\n\t* permission denied\n\n'] } }
    }
    if (path === 'sys/seal') sealed = true
    if (path.startsWith('sys/') && !path.startsWith('sys/leases')) return { status: 204 }
    const [mount = '', ...rest] = path.split('/')
    const answer =
      mount === 'transit'
        ? transit.handle(method, rest.join('/'), body)
        : await tokens.handle(path, body, token)
    const nothing = `no handler for route "${path}". route entry not found.`
    return answer ?? { status: 404, body: { errors: [nothing] } }
  }

  const serve = async (incoming: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '', headers } = incoming
    const content = await text(incoming)
    const path = decodeURIComponent(url.replace('/v1/', ''))
    const body = content === '' ? {} : JSON.parse(content)
    const answer = await answerTo({ method, path, headers, body })
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers })
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body))
  }

  const server = createServer(certificate, (incoming, response) => {
    serve(incoming, response).catch((error: unknown) => response.destroy(Object(error)))
  }).listen(0, 'localhost')
  await once(server, 'listening')
  return {
    address: `https://localhost:${(server.address() as AddressInfo).port}`,
    rootToken: tokens.rootToken,
    unsealKey: 'none',
    tokens,
    requests,
    get authority() {
      return certificate.authority
    },
    get fault() {
      return fault
    },
    set fault(next) {
      fault = next
    },
    renewCertificate: async () => {
      certificate = await createCertificate(Date.now(), 1)
      server.setSecureContext(certificate)
    },
    [Symbol.asyncDispose]: async () => {
      server.close().closeAllConnections()
      await once(server, 'close')
    },
  }
}
