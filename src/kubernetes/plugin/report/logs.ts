import { attempt } from '../cluster/attempt.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { PodObject } from '../status/pods.ts'
import type { Collected } from './collected.ts'
import { ourContainers } from './our-containers.ts'

const TAIL_LINES = 2_000
const MAX_BYTES = 2 * 1_024 * 1_024

/**
 * The end of the log of each of our containers, and of the one that ran before a restart. What a sidecar logs is not
 * known, so it stays out.
 */
export async function podLogs(
  cluster: Cluster,
  namespace: string,
  { metadata, spec, status }: PodObject,
  folder: string,
): Promise<readonly Collected[]> {
  const statuses = status?.containerStatuses ?? []
  const wanted = spec.containers
    .filter(({ name }) => ourContainers.includes(name))
    .flatMap(({ name }) => {
      const restarts = statuses.find((each) => each.name === name)?.restartCount ?? 0
      return [{ name, previous: false }, ...(restarts > 0 ? [{ name, previous: true }] : [])]
    })
  return Promise.all(
    wanted.map(async ({ name, previous }) => {
      const path = `/api/v1/namespaces/${namespace}/pods/${metadata.name}/log`
      const query = {
        container: name,
        tailLines: String(TAIL_LINES),
        limitBytes: String(MAX_BYTES),
        ...(previous && { previous: 'true' }),
      }
      const content = await attempt({ verb: 'get', resource: 'pods/log', namespace }, () =>
        cluster.text({ path, query, resource: 'pods' }, MAX_BYTES),
      )
      const file = `${folder}/${name}${previous ? '.previous' : ''}.log`
      return { path: file, content, kind: 'log' as const }
    }),
  )
}
