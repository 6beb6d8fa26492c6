import {
  type OperatorProcess,
  startOperator,
} from '../../cluster/kubernetes/operator/operator-process.ts'

const RESTART_AFTER_MS = 1_000

/** The only operator of a cluster. One that ends by itself, such as one that lost its lease, is started again, as a kubelet does. */
export interface KeptOperator extends AsyncDisposable {
  /** Resolves once the process serves. */
  start(): Promise<void>
  /** SIGKILL, and no other one until `start`. */
  kill(): Promise<void>
}

export function keepOperator(
  kubeconfig: string,
  environment: Readonly<Record<string, string>>,
): KeptOperator {
  let process: OperatorProcess | undefined
  let isWanted = false
  const launch = () => {
    if (!isWanted) return
    const launched = startOperator(kubeconfig, environment)
    void launched.exited.then(() =>
      setTimeout(() => {
        if (process === launched) launch()
      }, RESTART_AFTER_MS),
    )
    process = launched
  }
  const kill = async () => {
    isWanted = false
    await process?.[Symbol.asyncDispose]()
  }
  return {
    start: async () => {
      isWanted = true
      launch()
      await process?.adminUrl
    },
    kill,
    [Symbol.asyncDispose]: kill,
  }
}
