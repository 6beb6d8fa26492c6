import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { makeCgroups, removeCgroups } from '../../../tools/e2e/cgroups.ts'
import { fetchedFolder } from '../../../tools/e2e/fetched-programs.ts'
import { output } from '../../../tools/image/command.ts'
import { childOf } from './container.ts'
import type { Docker } from './docker.ts'

/**
 * The daemon is process 1 of its namespaces, so all that it started ends with it. Sockets below /run and mounts are not
 * those of the machine; names are resolved as on the machine, also where that file is below /run.
 */
const SCRIPT = `set -e
resolv=$(readlink -f /etc/resolv.conf)
cp "$resolv" "$1/resolv.conf"; folder=$1; shift
mount -t proc proc /proc
mount -t tmpfs tmpfs /run
mkdir -p "$(dirname "$resolv")"
[ -e "$resolv" ] || cp "$folder/resolv.conf" "$resolv"
exec dockerd "$@"`

/** Starts the daemon of Debian's docker.io, which is not installed: everything it writes is below one folder. */
export async function ownDaemon(): Promise<Docker | { readonly missing: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-e2e-docker-'))
  const programs = await fetched(folder).catch((error: Error) => ({
    missing: `no Docker answers, and apt fetches none (${error.message})`,
  }))
  if (typeof programs !== 'string') {
    await rm(folder, { recursive: true })
    return programs
  }
  const host = `unix://${folder}/docker.sock`
  const env = { PATH: `${programs}${delimiter}${process.env['PATH']}`, DOCKER_HOST: host }
  const daemon = spawnDaemon(folder, host, env)
  const own: Docker = {
    // The builder of BuildKit needs more than a daemon without a bridge has.
    run: (...args) => output('docker', args, { env: { ...env, DOCKER_BUILDKIT: '0' } }),
    async [Symbol.asyncDispose]() {
      const ended = once(daemon, 'exit')
      // `unshare` ends when the kernel has ended all processes of the namespace.
      if (daemon.exitCode === null) {
        process.kill(await childOf(daemon.pid!), 'SIGKILL')
        await ended
      }
      removeCgroups()
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
    },
  }
  try {
    while (!(await answers(own))) {
      if (daemon.exitCode !== null) throw new Error(`dockerd ended: ${endOfLog(folder)}`)
      await delay(100)
    }
    return own
  } catch (error) {
    await own[Symbol.asyncDispose]()
    throw error
  }
}

/** Newer releases of Debian have the client in a package of its own. */
async function fetched(folder: string): Promise<string> {
  const bin = await fetchedFolder(['docker.io', 'containerd', 'runc'], folder)
  return existsSync(join(bin, 'docker')) ? bin : fetchedFolder(['docker-cli'], folder)
}

const answers = (docker: Docker): Promise<boolean> =>
  docker.run('version').then(
    () => true,
    () => false,
  )

function spawnDaemon(folder: string, host: string, env: NodeJS.ProcessEnv): ChildProcess {
  const settings = join(folder, 'daemon.json')
  writeFileSync(settings, '{}')
  const flags = [
    `--config-file=${settings}`,
    `--data-root=${folder}/data`,
    `--exec-root=${folder}/exec`,
    `--pidfile=${folder}/pid`,
    `--host=${host}`,
    `--cgroup-parent=${makeCgroups([])}`,
    '--exec-opt=native.cgroupdriver=cgroupfs',
    // No network but the machine's, whose rules stay as they are.
    '--bridge=none',
    '--iptables=false',
    '--ip-masq=false',
  ]
  const isolated = ['--mount', '--pid', '--fork', '--kill-child', '--propagation', 'private']
  // It ends with this process, however that ends.
  const ofThisProcess = ['--pdeathsig', 'KILL', 'unshare']
  const log = openSync(join(folder, 'log'), 'w')
  const daemon = spawn(
    'setpriv',
    [...ofThisProcess, ...isolated, 'sh', '-c', SCRIPT, 'sh', folder, ...flags],
    {
      stdio: ['ignore', log, log],
      env: { ...process.env, ...env },
    },
  )
  closeSync(log)
  return daemon
}

const endOfLog = (folder: string): string =>
  readFileSync(join(folder, 'log'), 'utf8').trim().split('\n').slice(-3).join('\n')
