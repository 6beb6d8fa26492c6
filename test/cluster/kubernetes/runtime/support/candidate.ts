/**
 * A process that takes part in an election: `candidate.ts KUBECONFIG NAMESPACE IDENTITY DURATION_MS`. It prints
 * `leads EPOCH` when it leads, and `ends HOW` before it exits, with 1 when it lost the lease.
 */

import { createElector } from '../../../../../src/kubernetes/runtime/election/election.ts'
import { systemClock } from '../../../../../src/platform/core/time/clock.ts'
import { createLogger } from '../../../../../src/platform/telemetry/logs/logger.ts'
import { clientFor } from './client-for.ts'

const [kubeconfig = '', namespace = '', identity = '', duration = ''] = process.argv.slice(2)
const durationMs = Number(duration)
const print = (line: string) => process.stdout.write(`${line}\n`)

const stop = new AbortController()
process.once('SIGTERM', () => stop.abort())

const elector = createElector({
  client: clientFor(kubeconfig),
  lease: { namespace, name: 'leader' },
  identity,
  clock: systemClock,
  random: Math.random,
  logger: createLogger({ level: 'silent' }),
  durationMs,
  renewDeadlineMs: (durationMs * 2) / 3,
  renewMs: durationMs / 8,
  pollMs: Math.min(2_000, durationMs / 8),
})
const end = await elector.run({
  stop: stop.signal,
  lead: async ({ epoch, signal }) => {
    print(`leads ${epoch}`)
    const ended = AbortSignal.any([signal, stop.signal])
    if (!ended.aborted) await new Promise((resolve) => ended.addEventListener('abort', resolve))
  },
})
print(`ends ${end}`)
process.exit(end === 'lost' ? 1 : 0)
