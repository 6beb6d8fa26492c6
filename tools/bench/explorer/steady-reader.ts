/**
 * Reads an explorer at a steady rate, in a process of its own: the message is the load as JSON, and the answer its
 * result. `EXPLORER_URL` is the explorer.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { monotonicMs } from '../monotonic.ts'

export interface ReaderLoad {
  /** Asked for one after the other, again from the first. */
  readonly paths: readonly string[]
  readonly perSecond: number
  readonly seconds: number
}

export interface ReaderAnswers {
  /** Milliseconds from the time that a request was due to the end of its answer. */
  readonly times: readonly number[]
  /** Answers other than 200. */
  readonly failures: number
}

const url = process.env['EXPLORER_URL']

async function read({ paths, perSecond, seconds }: ReaderLoad): Promise<ReaderAnswers> {
  const start = monotonicMs()
  const statuses: number[] = []
  const times = await Promise.all(
    Array.from({ length: perSecond * seconds }, async (_, at) => {
      const due = start + (at / perSecond) * 1_000
      await pause(Math.max(0, due - monotonicMs()))
      statuses.push(await statusOf(`${url}${paths[at % paths.length]}`))
      return monotonicMs() - due
    }),
  )
  return { times, failures: statuses.filter((status) => status !== 200).length }
}

/** Reads the whole answer; 0: none came. */
async function statusOf(address: string): Promise<number> {
  try {
    const answer = await fetch(address)
    await answer.arrayBuffer()
    return answer.status
  } catch {
    return 0
  }
}

process.on('message', (message) => {
  void read(JSON.parse(String(message))).then((answers) => process.send?.(answers))
})
process.stdout.write('{"ready":true}\n')
