import type { SteadyClock } from '../../../platform/core/time/clock.ts'
import { withTimeLimit } from '../../../platform/core/time/time-limit.ts'
import { type ApiCall, createApiCaller } from '../../runtime/client/api-calls.ts'
import { createClient, type KubeClient } from '../../runtime/client/client.ts'
import { connectTo } from '../../runtime/client/connection.ts'
import { type KubeconfigChoice, loadKubeconfig } from '../../runtime/client/kubeconfig.ts'
import { openPort, PortForwardFailed } from '../../runtime/client/port-forward.ts'
import { noKubeMetrics } from '../../runtime/metrics/metrics.ts'
import { endOf, exchange, type PodAnswer, type PodRequest, USER_AGENT } from './pod-answer.ts'

/* The cluster as a person at a terminal reaches it: with a kubeconfig and the rights in it. */

export interface Cluster {
  readonly client: KubeClient
  /** The namespace of the flag, else of the kubeconfig's context. */
  readonly namespace: string
  /** Address of the API server, for messages. */
  readonly server: string
  /** A GET whose answer is no JSON, such as a log; as much as `limitBytes` of its end. */
  text(call: Pick<ApiCall, 'path' | 'query' | 'resource'>, limitBytes: number): Promise<string>
  /** An HTTP request to a port of a pod. Throws PortForwardFailed, also when it answers more than 1 MiB. */
  ask(question: PodRequest): Promise<PodAnswer>
}

export type ClusterOptions = KubeconfigChoice & {
  readonly namespace?: string | undefined
  readonly clock: SteadyClock
  readonly stop: AbortSignal
  /** Time limit of each request, in milliseconds. */
  readonly timeoutMs: number
}

/** Sends nothing yet. Throws KubeconfigUnusable. */
export function openCluster({ clock, stop, timeoutMs, ...choice }: ClusterOptions): Cluster {
  const access = loadKubeconfig(choice)
  const connection = connectTo(access, clock)
  const limits = { clock, userAgent: USER_AGENT, timeoutMs, qps: 50, burst: 100 }
  const calls = createApiCaller({ connection, metrics: noKubeMetrics, ...limits })
  const limitOf = (ms: number, signal: AbortSignal) => ({
    clock,
    ms,
    signal,
    lateError: () => new PortForwardFailed(`no answer within ${ms / 1_000} s`, undefined),
  })
  return {
    client: createClient({ connection, fieldManager: USER_AGENT, ...limits }),
    namespace: choice.namespace ?? (access.namespace || 'default'),
    server: access.cluster.server,
    text: async (call, limitBytes) => {
      const answer = await calls.open({ ...call, verb: 'get', method: 'GET' }, { signal: stop })
      return await endOf(answer, limitBytes)
    },
    ask: ({ timeoutMs: ms = timeoutMs, signal: end = stop, ...question }) =>
      withTimeLimit(limitOf(ms, end), async (signal) => {
        const port = openPort(access, question)
        // A port that opens after the time limit is closed again.
        signal.addEventListener('abort', () => {
          port.then(
            (opened) => opened.destroy(),
            () => undefined,
          )
        })
        return exchange(await port, question, signal)
      }),
  }
}
