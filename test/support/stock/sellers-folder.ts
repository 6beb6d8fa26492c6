import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { vi } from 'vitest'

const fixtures = fileURLToPath(new URL('../../fixtures/', import.meta.url))
const project = fileURLToPath(new URL('../../..', import.meta.url))

/** The two lines of stock packages that docs/sellers.md offers, and where make installs them. */
export const lines = [
  { line: 'newest', packages: join(fixtures, 'stock-newest') },
  { line: '2.9.0', packages: join(fixtures, 'stock-2.9') },
] as const

export type Line = (typeof lines)[number]

/** The newest line; the other one while `older-line.long.test.ts` plays the same files again. */
export const sampledLines = (): readonly Line[] =>
  lines.filter(({ line }) => line === (process.env['STOCK_LINE'] ?? 'newest'))

/** Why tests with these packages cannot run; undefined when they can. */
export const notInstalled = ({ packages }: Line): string | undefined =>
  existsSync(join(packages, 'node_modules/.package-lock.json'))
    ? undefined
    : `the packages of ${packages} are not installed; make test installs them`

export interface Ended {
  readonly code: number | null
  readonly output: string
}

export interface Served extends AsyncDisposable {
  /** The address that the server printed. */
  readonly url: string
  readonly output: () => string
}

type Variables = Readonly<Record<string, string>>

/** Longer than a loaded machine takes to load the packages. */
const DEADLINE_MS = 150_000

/**
 * An empty folder with nothing but the installed packages of a line. Programs find no package of this
 * project: they look packages up from the folder, not from where its node_modules leads.
 */
export class SellersFolder implements AsyncDisposable {
  readonly path: string
  readonly #variables: Variables

  private constructor(path: string, variables: Variables) {
    this.path = path
    this.#variables = variables
  }

  static async create({ packages }: Line, variables: Variables = {}): Promise<SellersFolder> {
    const path = await mkdtemp(join(tmpdir(), 'svc-sellers-test-'))
    await symlink(join(packages, 'node_modules'), join(path, 'node_modules'))
    return new SellersFolder(path, variables)
  }

  /** The same after `npm install` of the clone of this project, of which npm makes a link. */
  static async withProject({ packages }: Line, variables: Variables = {}): Promise<SellersFolder> {
    const path = await mkdtemp(join(tmpdir(), 'svc-metered-test-'))
    const modules = join(path, 'node_modules')
    await mkdir(modules)
    const installed = await readdir(join(packages, 'node_modules'))
    for (const name of installed) {
      if (!name.startsWith('.')) {
        await symlink(join(packages, 'node_modules', name), join(modules, name))
      }
    }
    await symlink(project, join(modules, 'stellar-x402'))
    // Node runs TypeScript outside of node_modules only: it has to follow the link, as it does by default.
    return new SellersFolder(path, { ...variables, NODE_PRESERVE_SYMLINKS: '' })
  }

  async save(name: string, text: string): Promise<void> {
    await writeFile(join(this.path, name), text)
  }

  /** Runs a program of the folder to its end. */
  async run(name: string, args: readonly string[] = [], more: Variables = {}): Promise<Ended> {
    return ended(this.#start(process.execPath, [name, ...args], more))
  }

  /** Types commands into one shell, which stops at the first that fails. */
  async type(commands: string, more: Variables = {}): Promise<Ended> {
    return ended(this.#start('bash', ['-e', '-c', commands], more))
  }

  /** Starts a server of the folder on a free port; resolves when it has printed its address. */
  async serve(name: string, port: number, more: Variables = {}): Promise<Served> {
    const child = this.#start(process.execPath, [name], { PORT: String(port), ...more })
    const output = outputOf(child)
    const end = once(child)
    const stop = async () => {
      child.kill('SIGKILL')
      await end
    }
    try {
      // Also in hooks, where `expect.poll` is not allowed.
      await vi.waitUntil(() => child.exitCode !== null || /^http:\S+$/m.test(output()), {
        timeout: DEADLINE_MS,
        interval: 20,
      })
      const url = /^http:\S+$/m.exec(output())?.[0]
      if (url === undefined) throw new Error(`${name} ended: ${output()}`)
      return { url, output, [Symbol.asyncDispose]: stop }
    } catch (error) {
      await stop()
      throw error
    }
  }

  #start(command: string, args: readonly string[], more: Variables = {}) {
    const { HOME = '', PATH = '' } = process.env
    return spawn(command, args, {
      cwd: this.path,
      env: { HOME, PATH, ...stayOnThisMachine, ...this.#variables, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true, force: true })
  }
}

/**
 * The stock client asks the public Horizon for ledger times, through a proxy where one is set. Nothing
 * listens on that port, so that it assumes 5 s a ledger at once, without the internet.
 */
const stayOnThisMachine: Variables = {
  HTTPS_PROXY: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1',
  NODE_PRESERVE_SYMLINKS: '1',
}

type Child = ReturnType<typeof spawn>

const once = (child: Child): Promise<number | null> =>
  new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code))
  })

function outputOf(child: Child): () => string {
  let output = ''
  const take = (chunk: Buffer) => {
    output += chunk.toString()
  }
  child.stdout?.on('data', take)
  child.stderr?.on('data', take)
  return () => output
}

async function ended(child: Child): Promise<Ended> {
  const output = outputOf(child)
  const code = await once(child)
  return { code, output: output() }
}
