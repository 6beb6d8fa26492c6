import { labels } from '../../crd/names/marks.ts'
import type { KubeObject } from '../../runtime/objects/resource.ts'

/** The fields of a pod that the operator reads. */
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
  readonly ready?: boolean
  readonly state?: {
    readonly waiting?: Cause
    readonly running?: object
    readonly terminated?: Cause & Ended
  }
  readonly lastState?: { readonly terminated?: Cause & Ended }
}

interface Cause extends Ended {
  readonly reason?: string
  readonly message?: string
}
interface Ended {
  readonly exitCode?: number
}

/** A pod that cannot start, or crashes repeatedly. */
export interface FailingPod {
  /** The name of the pod, or of the Job or Deployment that cannot create its pods. */
  readonly name: string
  readonly component: string
  readonly reason: string
  readonly message: string
  /** The exit code of its last container that ended. */
  readonly exitCode?: number
}

/** A pod that starts normally waits with these reasons. */
const normalReasons: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing'])

/** Why a pod fails, by Kubernetes and by the last output of its container; undefined when it does not. */
export function failureOf(pod: Pod): FailingPod | undefined {
  if (pod.metadata.deletionTimestamp !== undefined) return undefined
  const cause = pod.status?.containerStatuses?.map(causeOf).find((each) => each !== undefined)
  const found = cause ?? unschedulable(pod)
  if (!found) return undefined
  return {
    name: pod.metadata.name,
    component: pod.metadata.labels?.[labels.component] ?? '',
    reason: found.reason ?? 'Error',
    message: mainLine(found.message),
    ...(found.exitCode !== undefined && { exitCode: found.exitCode }),
  }
}

/** Whether it is a facilitator pod that takes payments. */
export const isServing = ({ metadata, status }: Pod): boolean =>
  metadata.labels?.[labels.component] === 'facilitator' &&
  metadata.deletionTimestamp === undefined &&
  (status?.containerStatuses?.some(({ ready }) => ready) ?? false)

/** The termination message of a component's pod whose container succeeded; undefined without one. */
export function noteOf(pod: Pod, component: string): string | undefined {
  if (pod.metadata.labels?.[labels.component] !== component) return undefined
  const { terminated } = pod.status?.containerStatuses?.[0]?.state ?? {}
  return terminated?.exitCode === 0 && terminated.message ? mainLine(terminated.message) : undefined
}

function causeOf({ ready, state, lastState }: ContainerStatus): Cause | undefined {
  const { waiting, running } = state ?? {}
  if (waiting && !normalReasons.has(waiting.reason ?? '')) {
    // The output of the last run says more than a back-off message.
    const message = lastState?.terminated?.message ?? waiting.message
    return { ...waiting, ...(message !== undefined && { message }) }
  }
  // A container that crashes runs for seconds between its ends: until it is ready, the last end counts.
  const ended = running && ready === false ? lastState?.terminated : state?.terminated
  return ended && ended.exitCode !== 0 ? ended : undefined
}

function unschedulable({ status }: Pod): Cause | undefined {
  return status?.conditions?.find(
    ({ type, status: is, reason }) =>
      type === 'PodScheduled' && is === 'False' && reason === 'Unschedulable',
  )
}

const MAX_MESSAGE_LENGTH = 512
/** `svc preflight` prints a line for each problem. */
const PREFLIGHT_PROBLEM = 'svc preflight: '

/** Lines that explain an end, the best first: a message of `svc`, then an error above its stack trace. */
const explaining = [/^svc \w+: /, /^(Uncaught )?\w*Error: /]

/** The line of a container's output that explains its end; the last one when none does. */
function mainLine(message = ''): string {
  const lines = message.trim().split('\n')
  const problems = lines.filter((line) => line.startsWith(PREFLIGHT_PROBLEM))
  if (problems.length > 1) return problems.join('; ').slice(0, MAX_MESSAGE_LENGTH)
  const found = explaining.map((shape) => lines.findLast((line) => shape.test(line)))
  return (found.find((line) => line !== undefined) ?? lines.at(-1) ?? '').slice(
    0,
    MAX_MESSAGE_LENGTH,
  )
}
