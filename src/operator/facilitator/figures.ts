import { MAX_SAMPLES } from '../../api/channel-pool-status.ts'
import type { Facilitator } from '../../api/facilitator.ts'
import type { FacilitatorStatus } from '../../api/facilitator-status.ts'
import { MIGRATION, selectorOf } from './render/common.ts'
import { serviceName } from './render/service.ts'
import type { Seen } from './seen.ts'

/** Everything of a status but its conditions. Absent members are left out of it. */
export type Figures = Omit<FacilitatorStatus, 'conditions' | 'observedGeneration'>

export function figuresOf(seen: Seen): Figures {
  const { view, parts, pools, plan } = seen
  const { facilitator } = view
  // A try of a migration that came to its end does not matter any more.
  const isMigrated = plan?.migration.state === 'Succeeded'
  const failing = view.failing.filter(({ component }) => !isMigrated || component !== MIGRATION)
  const served = parts[0]
  const { ready = 0, replicas = 0 } = served?.workload ?? {}
  return {
    summary: {
      replicas: `${ready}/${facilitator.spec.replicas}`,
      networks: pools.map(({ network, name }) => network ?? name).join(','),
    },
    replicas,
    readyReplicas: ready,
    selector: Object.entries(selectorOf(facilitator, 'facilitator'))
      .map(([label, value]) => `${label}=${value}`)
      .join(','),
    ...urlsOf(facilitator),
    ...(view.image && { image: view.image.reference }),
    networks: pools.map(({ name, network, ready: { status, reason } }) => ({
      channelPool: name,
      ...(network !== undefined && { network }),
      ready: status === 'True',
      reason,
    })),
    parts: parts.map(({ part, deployment, workload }) => ({
      name: part.name,
      deployment,
      wanted: part.replicas,
      ready: workload.ready,
      updated: workload.updated,
    })),
    ...migrationOf(seen, plan),
    ...(failing.length > 0 && {
      failingPods: failing
        .toSorted((one, other) => (one.name < other.name ? -1 : 1))
        .slice(0, MAX_SAMPLES)
        .map(({ name, reason, message }) => ({ name, reason: reason.slice(0, 64), message })),
    }),
  }
}

function urlsOf(facilitator: Facilitator): Pick<Figures, 'url' | 'explorerUrl'> {
  const { route, explorer } = facilitator.spec
  const { namespace } = facilitator.metadata
  if (!route) return { url: `http://${serviceName(facilitator, 'facilitator')}.${namespace}.svc` }
  // A Gateway ends TLS with its own certificate.
  const scheme = route.tlsSecretName !== undefined || route.gatewayRef ? 'https' : 'http'
  const isExplored = explorer.enabled && route.explorerHost !== undefined
  return {
    url: `${scheme}://${route.host}`,
    ...(isExplored && { explorerUrl: `${scheme}://${route.explorerHost}` }),
  }
}

/** While nothing could be planned, what is known of the last migration stays. */
function migrationOf({ view }: Seen, plan: Seen['plan']): Pick<Figures, 'migration'> {
  const before = view.facilitator.status?.migration
  if (!plan) return before ? { migration: before } : {}
  const { job, migration } = plan
  const state = migration.state === 'Missing' ? 'Running' : migration.state
  const finishedAt = 'finishedAt' in migration ? migration.finishedAt : undefined
  return {
    migration: {
      job,
      image: view.image?.reference ?? '',
      state,
      ...(finishedAt !== undefined && { finishedAt }),
    },
  }
}
