import { labels } from '../../api/marks.ts'
import type { KubeObject } from '../../kube/resource.ts'

/** What is read of a pod. */
export interface Pod extends KubeObject {
  readonly status?: {
    readonly phase?: string
    readonly conditions?: readonly {
      readonly type: string
      readonly status: string
      readonly reason?: string
      readonly message?: string
    }[]
    readonly containerStatuses?: readonly ContainerStatus[]
  }
}

interface ContainerStatus {
  readonly state?: { readonly waiting?: Said; readonly terminated?: Said & Ended }
  readonly lastState?: { readonly terminated?: Said & Ended }
}

interface Said {
  readonly reason?: string
  readonly message?: string
}
interface Ended {
  readonly exitCode?: number
}

/** A pod that cannot start, or ends again and again. */
export interface Failing {
  readonly name: string
  readonly component: string
  readonly reason: string
  readonly message: string
}

/** Waiting for what is on its way is no failure. */
const usual: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing'])

/** What is wrong with a pod, in the words of Kubernetes and of the container; undefined when nothing is. */
export function failureOf(pod: Pod): Failing | undefined {
  if (pod.metadata.deletionTimestamp !== undefined) return undefined
  const said = pod.status?.containerStatuses?.map(saidBy).find((each) => each !== undefined)
  const found = said ?? unschedulable(pod)
  if (!found) return undefined
  return {
    name: pod.metadata.name,
    component: pod.metadata.labels?.[labels.component] ?? '',
    reason: found.reason ?? 'Error',
    message: lastWord(found.message),
  }
}

function saidBy({ state, lastState }: ContainerStatus): Said | undefined {
  const { waiting, terminated } = state ?? {}
  if (waiting && !usual.has(waiting.reason ?? '')) {
    // Why it ended says more than that it waits to be started again.
    const message = lastState?.terminated?.message ?? waiting.message
    return { ...waiting, ...(message !== undefined && { message }) }
  }
  return terminated && terminated.exitCode !== 0 ? terminated : undefined
}

function unschedulable({ status }: Pod): Said | undefined {
  return status?.conditions?.find(
    ({ type, status: is, reason }) =>
      type === 'PodScheduled' && is === 'False' && reason === 'Unschedulable',
  )
}

const MAX = 512

/** What containers end with says most: a sentence of `svc`, else an error above its stack, else the last line. */
const telling = [/^svc \w+: /, /^(Uncaught )?\w*Error: /]

function lastWord(message = ''): string {
  const lines = message.trim().split('\n')
  const found = telling.map((shape) => lines.findLast((line) => shape.test(line)))
  return (found.find((line) => line !== undefined) ?? lines.at(-1) ?? '').slice(0, MAX)
}
