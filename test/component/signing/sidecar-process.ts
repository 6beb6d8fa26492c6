/** The sidecar of examples/signer-sidecar as a process, as its page says, with the keys and certificates of one test. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { secretOfSeed, signerFromSeed } from '../../../src/stellar/accounts/signer.ts'

const program = join(import.meta.dirname, '../../../examples/signer-sidecar/sidecar.ts')
const sponsorSeed = new Uint8Array(32).fill(3)
export const sponsor = signerFromSeed(sponsorSeed)

export interface SidecarFolder extends AsyncDisposable {
  readonly path: (name: string) => string
  write(name: string, content: string): Promise<string>
}

/** A folder with the seed. @param seed 32 bytes; that of `sponsor` unless given */
export async function openFolder(seed: Uint8Array = sponsorSeed): Promise<SidecarFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-sidecar-'))
  const path = (name: string) => join(folder, name)
  const write = async (name: string, content: string) => {
    await writeFile(path(name), content, { mode: 0o600 })
    return path(name)
  }
  await write('sponsor.seed', `${secretOfSeed(seed)}\n`)
  return {
    path,
    write,
    [Symbol.asyncDispose]: async () => {
      await chmod(folder, 0o700)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export const configOf = (folder: SidecarFolder, listen: object, policy: object = {}): object => ({
  listen,
  key: { seedFile: folder.path('sponsor.seed') },
  logFile: folder.path('log.jsonl'),
  networks: ['stellar:testnet'],
  policy: {
    maxFeeStroops: 1_000_000,
    maxXlmPerHour: '1000',
    channels: { maxPerDay: 10 },
    announcements: ['https://facilitator.example'],
    ...policy,
  },
})

export interface Sidecar extends AsyncDisposable {
  readonly child: ChildProcess
  /** Where it listens. */
  readonly at: string
  readonly output: () => string
  /** @param signal `SIGTERM` ends it as an administrator does */
  stop(signal: NodeJS.Signals): Promise<void>
}

/** Starts it and waits until it listens. @param prefix a command that starts it */
export async function startSidecar(
  folder: SidecarFolder,
  config: object,
  prefix: readonly string[] = [],
): Promise<Sidecar> {
  const file = await folder.write('config.json', JSON.stringify(config))
  const [command = '', ...args] = [...prefix, process.execPath, program, file]
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const stop = async (signal: NodeJS.Signals) => {
    if (hasEnded()) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }
  await vi.waitUntil(() => hasEnded() || /"listening"/.test(output), 60_000)
  const line = output.split('\n').find((each) => each.includes('"listening"'))
  if (line === undefined) throw new Error(`the sidecar ended: ${output}`)
  return {
    child,
    at: JSON.parse(line).listening,
    output: () => output,
    stop,
    [Symbol.asyncDispose]: () => stop('SIGKILL'),
  }
}
