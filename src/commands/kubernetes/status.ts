import { conditionOf, type FacilitatorObject } from '../../kubernetes/plugin/cluster/kinds.ts'
import { readFacts } from '../../kubernetes/plugin/status/facts.ts'
import { summaryOf } from '../../kubernetes/plugin/status/summary.ts'
import { findFacilitators } from '../../kubernetes/plugin/targets/choose.ts'
import { systemClock } from '../../platform/core/time/clock.ts'
import { age, columns, cutTo } from './columns.ts'
import { type KubeInput, print } from './run.ts'
import { statusPage } from './status-page.ts'

export async function status({ cluster, target, flags }: KubeInput): Promise<number> {
  const found = await findFacilitators(cluster, target?.name)
  const isJson = flags.output === 'json'
  const [first, ...others] = found
  if (first && others.length === 0) {
    const summary = summaryOf(await readFacts(cluster, first))
    print(isJson ? jsonLine(summary) : statusPage(summary, systemClock.now()))
    return summary.ready === 'True' ? 0 : 1
  }
  print(isJson ? jsonLine({ facilitators: found.map(listed) }) : listPage(found))
  return found.every((each) => listed(each).ready === 'True') ? 0 : 1
}

const jsonLine = (value: object): string => `${JSON.stringify(value, null, 2)}\n`

const listed = (facilitator: FacilitatorObject) => {
  const ready = conditionOf(facilitator, 'Ready')
  return {
    name: facilitator.metadata.name,
    ready: ready?.status ?? 'Unknown',
    reason: ready?.reason ?? 'NotObserved',
    replicas: facilitator.status?.summary?.replicas ?? null,
    networks: facilitator.status?.summary?.networks ?? null,
    createdAt: facilitator.metadata.creationTimestamp ?? null,
  }
}

function listPage(found: readonly FacilitatorObject[]): string {
  const rows = found
    .map(listed)
    .map(({ name, ready, reason, replicas, networks, createdAt }) => [
      name,
      ready,
      reason,
      replicas ?? '?',
      createdAt === null ? '?' : age(systemClock.now() - Date.parse(createdAt)),
      networks ?? '?',
    ])
  const head = ['FACILITATOR', 'READY', 'REASON', 'PODS', 'AGE', 'NETWORKS']
  const lines = columns([head, ...rows]).map((line) => cutTo(80, line))
  return `${[...lines, '', 'One of them: kubectl svc status NAME'].join('\n')}\n`
}
