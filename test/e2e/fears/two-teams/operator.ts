import { readFile } from 'node:fs/promises'
import type { World } from '../../support/world.ts'
import { names, places } from '../../support/world-places.ts'
import { podsOf, processesOf } from '../shop.ts'

const KIB_PER_MIB = 1024

/** What the operator's pods are, and what they have needed so far. */
export interface OperatorFigures {
  /** Names of the pods, with the number of their restarts. */
  readonly pods: Readonly<Record<string, number>>
  /** How often the Lease has changed its holder. */
  readonly leaseTransitions: number
  /** Highest resident memory of a process of them since its start, MiB. */
  readonly peakMib: number
}

/** The kernel keeps the peak of a process, so one look at the end suffices while no process has ended. */
export async function operatorFigures(world: World): Promise<OperatorFigures> {
  const selector = `app.kubernetes.io/instance=${names.release}`
  const all = await podsOf(world, places.operator, selector)
  const pods = all.filter(({ metadata }) => metadata.name.startsWith(`${names.release}-`))
  const peaks = await Promise.all(
    pods.map(async (pod) => {
      const processes = await processesOf(pod)
      return Math.max(...(await Promise.all(processes.map(peakMib))))
    }),
  )
  const lease = `/apis/coordination.k8s.io/v1/namespaces/${places.operator}/leases/${names.release}`
  const { body } = await world.cluster.request('GET', lease)
  return {
    pods: Object.fromEntries(
      pods.map(({ metadata, status }) => [
        metadata.name,
        status.containerStatuses?.[0]?.restartCount ?? 0,
      ]),
    ),
    leaseTransitions: Number(Object(body['spec']).leaseTransitions),
    peakMib: Math.max(...peaks),
  }
}

async function peakMib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / KIB_PER_MIB)
}
