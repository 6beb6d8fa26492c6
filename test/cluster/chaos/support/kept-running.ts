import type { OperatorProcess } from '../../kubernetes/operator/operator-process.ts'

/** A process that is restarted whenever it ends, as by a kubelet. */
export interface KeptRunning extends AsyncDisposable {
  readonly current: OperatorProcess
  /** Exit codes so far. */
  readonly ends: readonly (number | null)[]
}

const PAUSE_MS = 1_000

export function keepRunning(start: () => OperatorProcess): KeptRunning {
  const ends: (number | null)[] = []
  let current = start()
  let isOver = false
  const follow = async (): Promise<void> => {
    const code = await current.exited
    if (isOver) return
    ends.push(code)
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    if (isOver) return
    current = start()
    return follow()
  }
  const following = follow()
  return {
    get current() {
      return current
    },
    ends,
    [Symbol.asyncDispose]: async () => {
      isOver = true
      await current[Symbol.asyncDispose]()
      await following
    },
  }
}
