import { readdirSync, readFileSync } from 'node:fs'

/** How long threads have run, and how long they waited for a processor. */
export interface ThreadTime {
  readonly runMs: number
  readonly waitMs: number
}

/** Threads by their ids, with what they have taken since they started. */
export type Threads = ReadonlyMap<string, ThreadTime & { readonly name: string }>

/** The threads of processes, from the scheduler's statistics. None where there are none, as on other systems than Linux. */
export function readThreads(pids: readonly number[]): Threads {
  const threads = new Map<string, ThreadTime & { readonly name: string }>()
  for (const pid of pids) {
    for (const thread of readOr([], () => readdirSync(`/proc/${pid}/task`))) {
      const read = (file: string) =>
        readOr('', () => readFileSync(`/proc/${pid}/task/${thread}/${file}`, 'utf8'))
      const [run = 0, wait = 0] = read('schedstat').split(' ').map(Number)
      threads.set(thread, { name: read('comm').trim(), runMs: run / 1e6, waitMs: wait / 1e6 })
    }
  }
  return threads
}

/**
 * Time that the threads took between two readings, or only the threads of this name. A thread that has ended is not
 * counted.
 */
export function timeBetween(before: Threads, after: Threads, name?: string): ThreadTime {
  const time = { runMs: 0, waitMs: 0 }
  for (const [id, thread] of after) {
    if (name !== undefined && thread.name !== name) continue
    time.runMs += thread.runMs - (before.get(id)?.runMs ?? 0)
    time.waitMs += thread.waitMs - (before.get(id)?.waitMs ?? 0)
  }
  return time
}

/** The process and those that it started, such as the server of Postgres and its backends. */
export function withChildren(pid: number): readonly number[] {
  const children = readOr('', () => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'))
  return [pid, ...children.trim().split(' ').filter(Boolean).map(Number)]
}

/** A thread may end while it is read. */
function readOr<T>(otherwise: T, read: () => T): T {
  try {
    return read()
  } catch {
    return otherwise
  }
}
