import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { programInPath } from '../../cluster/support/debian-package.ts'
import { configOf } from './unpacked.ts'

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface Container {
  readonly ended: Promise<Ended>
  /** To the process that has the id 1 in its namespace. */
  signal(name: NodeJS.Signals): Promise<void>
}

/** Each command replaces the shell, so the last one is process 1. */
const SCRIPT = `set -e
root=$1; chroot=$2; user=$3; shift 3
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
exec env -i "$chroot" --userspec="$user" --groups= "$root" "$@"`

/**
 * Runs a command of the image as a pod with a read-only root does: as the image's user, with its variables and no other,
 * as process 1, with an empty /tmp. It has the network of the machine.
 */
export async function start(
  root: string,
  command: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<Container> {
  const { User, Env } = configOf(root)
  const environment = [...Env, ...Object.entries(more).map(([name, value]) => `${name}=${value}`)]
  // With `env`, the image's PATH finds the command.
  const script = SCRIPT.replace('env -i', `env -i ${environment.map(quoted).join(' ')}`)
  const chroot = (await programInPath('chroot')) ?? '/usr/sbin/chroot'
  const isolated = ['--mount', '--pid', '--fork', '--kill-child', '--propagation', 'private']
  const child = spawn(
    'unshare',
    [...isolated, 'sh', '-c', script, 'sh', root, chroot, User, ...command],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  return {
    ended: endOf(child),
    async signal(name) {
      process.kill(await childOf(child.pid!), name)
    },
  }
}

export const run = async (...args: Parameters<typeof start>): Promise<Ended> =>
  (await start(...args)).ended

async function endOf(child: ChildProcessByStdio<null, Readable, Readable>): Promise<Ended> {
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { code, stdout, stderr }
}

/** The process that `unshare --fork` starts: process 1 of its namespace. */
export async function childOf(pid: number): Promise<number> {
  const file = `/proc/${pid}/task/${pid}/children`
  while (existsSync(file)) {
    const child = Number(readFileSync(file, 'utf8').trim())
    if (child > 0) return child
    await delay(20)
  }
  throw new Error(`The process ${pid} has ended.`)
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`
