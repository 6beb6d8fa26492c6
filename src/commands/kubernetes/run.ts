import { ClusterUnreachable } from '../../kubernetes/plugin/cluster/attempt.ts'
import { type Cluster, openCluster } from '../../kubernetes/plugin/cluster/cluster.ts'
import { NotHere } from '../../kubernetes/plugin/targets/choose.ts'
import type { Target } from '../../kubernetes/plugin/targets/marks.ts'
import { isKubeError } from '../../kubernetes/runtime/client/kube-error.ts'
import { KubeconfigUnusable } from '../../kubernetes/runtime/client/kubeconfig.ts'
import type { NetworkId } from '../../platform/core/caip2.ts'
import { printable } from '../../platform/core/text/printable.ts'
import { systemClock } from '../../platform/core/time/clock.ts'
import { INTERRUPTED } from '../../service/process/exit-codes.ts'
import { Stopped, type StopSignals } from '../../service/process/stop-signals.ts'

/** Fixed: scripts may rely on them. */
const exits = { done: 0, notDone: 1, unreachable: 3, notHere: 4 } as const

export const kubeExits: Readonly<Record<number, string>> = {
  [exits.done]: 'done; of status: the Facilitator, or every listed one, is Ready',
  [exits.notDone]: 'not done, and why; of status: not Ready',
  2: 'of pay: the outcome is unknown: look before paying again',
  [exits.unreachable]: 'no kubeconfig, no answer of the API server, or it refuses the credentials',
  [exits.notHere]: 'there is no such object, or a right to it is missing',
  69: 'of pay: the container image leaves its code out',
  [INTERRUPTED]: 'interrupted; of pay: nothing was paid',
}

export interface KubeFlags {
  readonly namespace: string | undefined
  readonly context: string | undefined
  readonly kubeconfig: string | undefined
  readonly timeout: number
  readonly output: string | undefined
  readonly wait: boolean
  readonly 'wait-timeout': number
  readonly 'operator-namespace': string | undefined
  readonly network: NetworkId | undefined
  readonly url: string | undefined
  readonly rpc: string | undefined
  readonly 'buyer-secret-file': string | undefined
  readonly 'pay-to': string | undefined
  readonly 'api-key-file': string | undefined
  readonly 'real-money': boolean
  readonly json: boolean
}

interface Given extends Pick<StopSignals, 'stop' | 'stopAtOnce'> {
  readonly flags: KubeFlags
  readonly target: Target | undefined
}

export interface KubeInput extends Given {
  readonly cluster: Cluster
}

/** @returns the exit code */
export type KubeAction = (input: KubeInput) => Promise<number>

/** Runs an action with the cluster that the flags name, and explains what keeps it from that. */
export async function runOnCluster(given: Given, action: KubeAction): Promise<number> {
  const { flags, stop } = given
  try {
    let opened: Cluster | undefined
    return await action({
      ...given,
      // Only when it is used: a payment to a URL needs no cluster.
      get cluster() {
        opened ??= openCluster({
          ...flags,
          env: process.env,
          clock: systemClock,
          stop,
          timeoutMs: flags.timeout,
        })
        return opened
      },
    })
  } catch (error) {
    if (error instanceof KubeconfigUnusable) {
      say(`KUBECONFIG ${error.message}.`)
      return exits.unreachable
    }
    if (error instanceof ClusterUnreachable) {
      say(error.message)
      return exits.unreachable
    }
    if (error instanceof NotHere) {
      say(error.message)
      return exits.notHere
    }
    if (error instanceof Stopped) {
      say(error.message)
      return INTERRUPTED
    }
    if (isKubeError(error)) {
      say(error.message)
      return exits.notDone
    }
    throw error
  }
}

export const say = (sentence: string): void => {
  process.stderr.write(`svc kube: ${printable(sentence)}\n`)
}

export const print = (text: string): void => {
  process.stdout.write(text)
}
