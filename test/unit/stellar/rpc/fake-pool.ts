import { rpcPool } from '../../../../src/stellar/rpc/pool/rpc-pool.ts'
import { RpcError } from '../../../../src/stellar/rpc/rpc.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { FakeEndpoint, PASSPHRASE } from './fake-endpoint.ts'

type Line = { readonly level: string; readonly endpoint: string; readonly reason?: string }

/** A pool of as many endpoints, `a` first, which are used and fail by a test's own clock. */
export function poolOf<N extends 1 | 2 | 3>(count: N) {
  const clock = new FakeClock()
  const lines: Line[] = []
  const note = (level: string) => (facts: object) => {
    const reason = 'reason' in facts ? { reason: String(facts.reason) } : {}
    lines.push({ level, endpoint: 'endpoint' in facts ? String(facts.endpoint) : '', ...reason })
  }
  const [a, b, c] = [new FakeEndpoint(), new FakeEndpoint(), new FakeEndpoint()] as const
  const all = [a, b, c].slice(0, count)
  const pool = rpcPool({
    endpoints: all.map(({ client }, i) => ({ name: 'abc'[i] ?? '', client })),
    passphrase: PASSPHRASE,
    clock,
    log: { info: note('info'), warn: note('warn'), error: note('error') },
    random: () => 0.5,
  })
  /** The result of `work`, with the clock advanced as needed. */
  const outcome = async <T>(work: Promise<T>, withinMs = 20_000): Promise<T> => {
    work.catch(() => undefined)
    await clock.advance(withinMs)
    return work
  }
  return { clock, lines, pool, a, b, c, outcome }
}

/** HTTP 429. */
export const busy = (retryAfterMs?: number) =>
  new RpcError('transport', 'any', 'HTTP 429', { retryAfterMs, wasRefused: true })
