import { z } from 'zod'
import { connectionProblem, TRUST_HINT } from '../../platform/core/errors/connection-problem.ts'
import { type Clock, systemClock } from '../../platform/core/time/clock.ts'
import { TimeLimitExceeded, withTimeLimit } from '../../platform/core/time/time-limit.ts'
import { encodeRequest, postJsonRpc } from './transport/post-json-rpc.ts'
import { HttpRefusal } from './transport/transport-errors.ts'

/** Facts that a Stellar RPC reports about its network, for a command that a person typed. */
export interface NetworkInfo {
  readonly passphrase: string
  /** Funds accounts; only test networks have one. */
  readonly friendbotUrl: string | undefined
}

/** The address is not one of a Stellar RPC that can be used. The message is a sentence for a person. */
export class NetworkInfoFailure extends Error {
  override readonly name = 'NetworkInfoFailure'
  readonly code: 'rpc_unreachable' | 'rpc_untrusted' | 'rpc_unreadable'
  /** The advice, in a sentence. */
  readonly hint: string

  constructor(code: NetworkInfoFailure['code'], message: string, hint: string, cause: unknown) {
    super(message, { cause })
    this.code = code
    this.hint = hint
  }
}

const answer = z.object({ passphrase: z.string(), friendbotUrl: z.string().optional() })
const TIMEOUT_MS = 10_000

const CHOOSE_ANOTHER = 'Check the address, or name another Stellar RPC with --rpc.'

/** Asks `getNetwork`, once. Throws NetworkInfoFailure, which names the endpoint without its path. */
export async function readNetworkInfo(
  rpcUrl: string,
  { clock = systemClock, signal }: { clock?: Clock; signal?: AbortSignal | undefined } = {},
): Promise<NetworkInfo> {
  const url = new URL(rpcUrl)
  const name = `the Stellar RPC ${url.origin}`
  try {
    const responses = await withTimeLimit({ clock, ms: TIMEOUT_MS, signal }, (limited) =>
      postJsonRpc(url, [encodeRequest('getNetwork', undefined)], limited),
    )
    const { passphrase, friendbotUrl } = answer.parse(responses.get(1)?.result)
    return { passphrase, friendbotUrl: friendbotUrl === '' ? undefined : friendbotUrl }
  } catch (error) {
    signal?.throwIfAborted()
    throw failureOf(name, error)
  }
}

function failureOf(name: string, error: unknown): NetworkInfoFailure {
  const failure = (code: NetworkInfoFailure['code'], says: string, hint = CHOOSE_ANOTHER) =>
    new NetworkInfoFailure(code, `${name} ${says}`, hint, error)
  if (error instanceof HttpRefusal) {
    return failure('rpc_unreadable', `answers HTTP ${error.response.status}`)
  }
  if (error instanceof SyntaxError || error instanceof z.ZodError) {
    return failure('rpc_unreadable', 'does not answer as a Stellar RPC does')
  }
  if (error instanceof TimeLimitExceeded) {
    return failure('rpc_unreachable', `does not answer within ${TIMEOUT_MS / 1_000} s`)
  }
  const { kind, says } = connectionProblem(error)
  if (kind === 'untrusted') return failure('rpc_untrusted', says, TRUST_HINT)
  return failure('rpc_unreachable', says)
}
