import { readFile } from 'node:fs/promises'

export interface Resident {
  readonly now: number
  /** The most since the process began. */
  readonly peak: number
}

/** Ticks of Linux a second. */
const TICKS = 100

/** Processor time of a process and its threads since it began. Linux only. */
export async function cpuMsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // The name of the program, in parentheses, may hold spaces.
  const [, , , , , , , , , , , user, system] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(user) + Number(system)) * 1_000) / TICKS
}

/** Resident memory of a process and its threads, in MB. Linux only. */
export async function residentOf(pid: number): Promise<Resident> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const megabytes = (field: string): number => {
    const [, kibibytes] = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status) ?? []
    if (kibibytes === undefined) throw new Error(`the process has no ${field}`)
    return (Number(kibibytes) * 1_024) / 1_000_000
  }
  return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') }
}
