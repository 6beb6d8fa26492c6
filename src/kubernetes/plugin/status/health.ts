import { type Attempt, attempt } from '../cluster/attempt.ts'
import type { Cluster } from '../cluster/cluster.ts'

/* Reads payments and warnings from `/health` of a facilitator pod (docs/health.md). */

interface HourOfPayments {
  readonly network: string
  /** By state; null while the store cannot be read. */
  readonly last1h: Readonly<Record<'succeeded' | 'failed' | 'expired' | 'pending', number>> | null
  readonly unfinished: number | null
}

export interface HealthWarning {
  readonly code: string
  readonly severity: string
  readonly message: string
  readonly network?: string
}

export interface PodHealth {
  readonly pod: string
  readonly state: string
  readonly payments: readonly HourOfPayments[]
  readonly warnings: readonly HealthWarning[]
}

/** Where the facilitator pods listen. */
export const HTTP_PORT = 8_080
export const ADMIN_PORT = 9_090

const portForward = (namespace: string) =>
  ({ verb: 'get and create', resource: 'pods/portforward', namespace }) as const

/** The body of an answer with status 200; any other one, and none, is a sentence. */
export async function askPod(
  cluster: Cluster,
  question: Parameters<Cluster['ask']>[0],
): Promise<Attempt<string>> {
  const { namespace, pod, path } = question
  const answered = await attempt(portForward(namespace), () => cluster.ask(question))
  if (!('value' in answered)) return { ...answered, why: `pod ${pod}: ${answered.why}` }
  const { status, body } = answered.value
  if (status === 200) return { value: body }
  return { why: `pod ${pod} answered ${path} with ${status}` }
}

export async function readHealth(
  cluster: Cluster,
  namespace: string,
  pod: string,
): Promise<Attempt<PodHealth>> {
  const answered = await askPod(cluster, { namespace, pod, port: HTTP_PORT, path: '/health' })
  if (!('value' in answered)) return answered
  try {
    return { value: healthOf(pod, JSON.parse(answered.value)) }
  } catch {
    return { why: `pod ${pod} answered /health with something else than its document` }
  }
}

function healthOf(pod: string, document: Readonly<Record<string, unknown>>): PodHealth {
  const networks: Record<string, unknown> = Object(document['networks'])
  return {
    pod,
    state: String(document['state']),
    payments: Object.entries(networks).map(([network, facts]) => {
      const settlements = Object(Object(facts).settlements)
      return {
        network,
        last1h: settlements.last1h ?? null,
        unfinished: settlements.unfinished ?? null,
      }
    }),
    warnings: Array.isArray(document['warnings']) ? document['warnings'] : [],
  }
}
