/** Builds a Go module of ours into the cache, once for all checkouts and all runs at the same time. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { contentKey, toolFolder } from './cache.ts'

const run = promisify(execFile)

const TELL_EVERY_MS = 15_000
const OLDEST_GO = [1, 26] as const

export interface GoTool {
  /** Also the name of the binary. */
  readonly name: string
  /** Holds go.mod, go.sum and the sources, all of which decide the key. */
  readonly folder: string
  /** What to build: a package of the module, or of one that it requires. */
  readonly target: string
  readonly ldflags: string
  /** About how long it takes on two idle cores with cold caches; told to who waits. */
  readonly usually: string
}

/** Either where it is, or why there is none. */
export type Tool = { readonly path: string } | { readonly missing: string }

/** Without cgo the binary is static; the sums in go.sum are checked and never written. */
const goEnvironment = () => ({
  ...process.env,
  CGO_ENABLED: '0',
  GOWORK: 'off',
  // A missing Go is a reason to skip, not to fetch another one.
  GOTOOLCHAIN: 'local',
})

/**
 * @throws Error with the end of the compiler's output when the build fails
 */
export async function buildGoTool(tool: GoTool): Promise<Tool> {
  const unfit = await whyNoGo()
  if (unfit !== undefined) return { missing: unfit }
  const { stdout: version } = await run('go', ['env', 'GOVERSION', 'GOOS', 'GOARCH'], {
    env: goEnvironment(),
  })
  const key = await contentKey(tool.folder, version, tool.target, tool.ldflags)
  const binary = join(await toolFolder(tool.name, key), tool.name)
  if (existsSync(binary)) return { path: binary }
  const unreachable = await whyNoModules(tool)
  if (unreachable !== undefined) return { missing: unreachable }
  await build(tool, binary)
  return { path: binary }
}

/** Without its modules there is nothing to build; that is no fault of what is built. */
async function whyNoModules({ name, folder }: GoTool): Promise<string | undefined> {
  say(`${name}: fetching its Go modules, if they are not there yet`)
  try {
    await run('go', ['mod', 'download'], { cwd: folder, env: goEnvironment() })
    return undefined
  } catch (error) {
    const [reason = ''] = String(Object(error).stderr).trim().split('\n').slice(-1)
    return `the Go modules of ${name} cannot be fetched: ${reason}`
  }
}

async function whyNoGo(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'it is built on Linux only'
  const answer = await run('go', ['version'], { env: goEnvironment() }).catch(() => undefined)
  const found = /go(\d+)\.(\d+)\S*/.exec(answer?.stdout ?? '')
  if (!found) return `it is built with Go ${OLDEST_GO.join('.')} or newer, which is not installed`
  const [major, minor] = [Number(found[1]), Number(found[2])]
  const fits = major > OLDEST_GO[0] || (major === OLDEST_GO[0] && minor >= OLDEST_GO[1])
  return fits
    ? undefined
    : `it is built with Go ${OLDEST_GO.join('.')} or newer; this is ${found[0]}`
}

/** Whoever comes second waits for the lock and finds the binary; the kernel frees a dead one's lock. */
const ONCE = `
[ -x "$OUT" ] && exit 0
go build -trimpath -buildvcs=false -mod=readonly -v -ldflags "$LDFLAGS" -o "$OUT.part" "$TARGET" &&
mv "$OUT.part" "$OUT"
`

async function build(tool: GoTool, binary: string): Promise<void> {
  say(`${tool.name}: building; with nothing in Go's cache this takes about ${tool.usually}`)
  const builder = spawn('flock', [`${binary}.lock`, 'sh', '-c', ONCE], {
    cwd: tool.folder,
    stdio: ['ignore', 'inherit', 'pipe'],
    env: { ...goEnvironment(), OUT: binary, LDFLAGS: tool.ldflags, TARGET: tool.target },
  })
  const { code, output } = await followed(tool.name, builder)
  if (code !== 0) throw new Error(`${tool.name} does not build:\n${output.slice(-30).join('\n')}`)
}

/** Tells every while how far the build is; `go build -v` prints a line for each package. */
async function followed(name: string, builder: ChildProcess) {
  const started = performance.now()
  const seconds = () => Math.round((performance.now() - started) / 1000)
  const output: string[] = []
  const teller = setInterval(() => {
    const at = output.at(-1) ?? 'nothing to compile yet, or another build is at it'
    say(`${name}: ${seconds()} s, ${output.length} steps done, now at ${at}`)
  }, TELL_EVERY_MS)
  if (builder.stderr) createInterface(builder.stderr).on('line', (line) => output.push(line))
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      builder.once('error', reject)
      builder.once('close', resolve)
    })
    say(`${name}: ${code === 0 ? 'ready' : 'failed'} after ${seconds()} s`)
    return { code, output }
  } finally {
    clearInterval(teller)
  }
}

const say = (line: string) => process.stderr.write(`${line}\n`)
