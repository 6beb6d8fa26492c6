import { MAX_SAMPLES } from '../../../crd/channel-pool/status.ts'
import type { FacilitatorStatus } from '../../../crd/facilitator/status.ts'
import type { FacilitatorResult } from '../converge/converge.ts'
import type { JobState } from '../observe/workload.ts'
import { serviceName } from '../render/service.ts'
import { MIGRATION, nameOf, PREFLIGHT, selectorOf } from '../spec/child-metadata.ts'
import { publicUrls } from '../spec/public-urls.ts'
import { mountedSponsors } from './mounted-sponsors.ts'
import { hasOwnService, isOwn } from './own-objects.ts'

const MAX_REASON_LENGTH = 64

/** Everything of a status but its conditions and generation. */
type StatusFields = Omit<FacilitatorStatus, 'conditions' | 'observedGeneration'>

/** The fields of a status that one pass decides. */
export function statusOf(result: FacilitatorResult): StatusFields {
  const { observed, parts, pools, plan, keepers } = result
  const { facilitator, image } = observed
  // Failed attempts no longer matter once the migration has succeeded.
  const isMigrated = plan?.migration.state === 'Succeeded'
  const isChecked = !plan?.preflight || plan.preflight.result.state === 'Succeeded'
  const past = [...(isMigrated ? [MIGRATION] : []), ...(isChecked ? [PREFLIGHT] : [])]
  const failing = observed.failing.filter(({ component }) => !past.includes(component))
  const { ready = 0, replicas = 0 } = parts[0]?.workload ?? {}
  return {
    summary: {
      replicas: `${Math.min(ready, facilitator.spec.replicas)}/${facilitator.spec.replicas}`,
      networks: pools.map(({ network, name }) => network ?? name).join(','),
    },
    replicas,
    readyReplicas: ready,
    selector: Object.entries(selectorOf(facilitator, 'facilitator'))
      .map(([label, value]) => `${label}=${value}`)
      .join(','),
    ...urlsOf(result),
    ...(image && { image: image.reference }),
    networks: pools.map(({ name, network, ready: { status, reason } }) => ({
      channelPool: name,
      ...(network !== undefined && { network }),
      ready: status === 'True',
      reason,
      ...(keepers.has(name) && { upto: keepers.get(name) }),
    })),
    ...sponsorsOf(result),
    parts: parts.map(({ part, deployment, workload }) => ({
      name: part.name,
      deployment,
      wanted: part.replicas,
      ready: workload.ready,
      updated: workload.updated,
    })),
    ...migrationOf(result),
    ...preflightOf(result),
    ...(failing.length > 0 && {
      failingPods: failing
        .toSorted((one, other) => (one.name < other.name ? -1 : 1))
        .slice(0, MAX_SAMPLES)
        .map(({ name, reason, message }) => ({
          name,
          reason: reason.slice(0, MAX_REASON_LENGTH),
          message,
        })),
    }),
  }
}

function sponsorsOf({ observed, parts }: FacilitatorResult): Pick<StatusFields, 'sponsors'> {
  const { facilitator, pools } = observed
  const [first] = parts
  if (!first) return {}
  const { live: deployment, part } = first
  const { replicas } = part
  const sponsors = mountedSponsors({ facilitator, pools, deployment, replicas })
  return sponsors.length > 0 ? { sponsors: [...sponsors] } : {}
}

/** Addresses that lead to pods of the Facilitator: an object of others with the name of one of ours is none. */
function urlsOf(result: FacilitatorResult): Pick<StatusFields, 'url' | 'explorerUrl'> {
  const { facilitator } = result.observed
  const { namespace } = facilitator.metadata
  const kind = facilitator.spec.route?.parentRefs ? 'HTTPRoute' : 'Ingress'
  const isReached = (component: 'facilitator' | 'explorer') =>
    isOwn(result, kind, nameOf(facilitator, component)) && hasOwnService(result, component)
  const { url, explorerUrl } = publicUrls(facilitator) ?? {}
  const inside = `http://${serviceName(facilitator, 'facilitator')}.${namespace}.svc`
  return {
    ...(hasOwnService(result, 'facilitator') && { url: inside }),
    ...(url !== undefined && isReached('facilitator') && { url }),
    ...(explorerUrl !== undefined && isReached('explorer') && { explorerUrl }),
  }
}

/** The migration in the status; without a plan the last one stays. */
function migrationOf({ observed, plan }: FacilitatorResult): Pick<StatusFields, 'migration'> {
  const before = observed.facilitator.status?.migration
  if (!plan || (plan.isHeld && plan.migration.state === 'Missing'))
    return before ? { migration: before } : {}
  const { job, migration } = plan
  return {
    migration: { job, image: observed.image?.reference ?? '', ...resultOfJob(migration) },
  }
}

/** Absent while no pod that serves is about to be replaced. */
function preflightOf({ plan }: FacilitatorResult): Pick<StatusFields, 'preflight'> {
  if (!plan?.preflight || plan.isHeld) return {}
  const { name, attempt, result } = plan.preflight
  return { preflight: { job: name, attempt, ...resultOfJob(result) } }
}

/** A Job that is missing has just been created. */
function resultOfJob(result: JobState) {
  const state = result.state === 'Missing' ? 'Running' : result.state
  const finishedAt = 'finishedAt' in result ? result.finishedAt : undefined
  return { state, ...(finishedAt !== undefined && { finishedAt }) } as const
}
