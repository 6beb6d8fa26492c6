/** Builds a Go module of this repository into the cache, once for all checkouts and concurrent runs. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { contentKey, toolFolder } from '../../support/tool-cache.ts'

const run = promisify(execFile)

const PROGRESS_INTERVAL_MS = 15_000
const MIN_GO = [1, 26] as const

export interface GoTool {
  /** Also the name of the binary. */
  readonly name: string
  /** Holds go.mod, go.sum and the sources, all of which are part of the key. */
  readonly folder: string
  /** The package to build, of the module or of one that it requires. */
  readonly target: string
  readonly ldflags: string
  /** Of the compiler, each with the packages that it is for; the last one that fits a package counts. */
  readonly gcflags?: readonly string[]
  /** Shown while it builds: the time on two idle cores with cold caches. */
  readonly duration: string
  /** The command that builds it, for the reason of a test that is skipped. @default 'make test-cluster' */
  readonly builder?: string
}

/** The path of a program, or the reason for its absence. */
export type Tool = { readonly path: string } | { readonly missing: string }

/** Without cgo the binary is static. */
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
  const unfit = await reasonWithoutGo()
  if (unfit !== undefined) return { missing: unfit }
  const binary = await binaryOf(tool)
  if (existsSync(binary)) return { path: binary }
  const missingModules = await reasonWithoutModules(tool)
  if (missingModules !== undefined) return { missing: missingModules }
  await build(tool, binary)
  return { path: binary }
}

/** The tool when an earlier run has built it: nothing is compiled. */
export async function builtGoTool(tool: GoTool): Promise<Tool> {
  const unfit = await reasonWithoutGo()
  if (unfit !== undefined) return { missing: unfit }
  const binary = await binaryOf(tool)
  if (existsSync(binary)) return { path: binary }
  const { name, duration, builder = 'make test-cluster' } = tool
  return { missing: `${name} is not built; \`${builder}\` builds it in about ${duration}` }
}

const binaries = new Map<string, Promise<string>>()

/** Looked for once a process, since it starts a program and reads the sources. */
function binaryOf(tool: GoTool): Promise<string> {
  const known = binaries.get(tool.name) ?? findBinary(tool)
  binaries.set(tool.name, known)
  return known
}

async function findBinary(tool: GoTool): Promise<string> {
  const { stdout: version } = await run('go', ['env', 'GOVERSION', 'GOOS', 'GOARCH'], {
    env: goEnvironment(),
  })
  const flags = [tool.ldflags, ...(tool.gcflags ?? [])]
  const key = await contentKey(tool.folder, version, tool.target, ...flags)
  return join(await toolFolder(tool.name, key), tool.name)
}

/** A machine without access to the Go modules skips the tests. */
async function reasonWithoutModules({ name, folder }: GoTool): Promise<string | undefined> {
  say(`${name}: fetching its Go modules, unless they are cached`)
  try {
    await run('go', ['mod', 'download'], { cwd: folder, env: goEnvironment() })
    return undefined
  } catch (error) {
    const [reason = ''] = String(Object(error).stderr).trim().split('\n').slice(-1)
    return `the Go modules of ${name} cannot be fetched: ${reason}`
  }
}

let missingGo: Promise<string | undefined> | undefined

function reasonWithoutGo(): Promise<string | undefined> {
  missingGo ??= lookForGo()
  return missingGo
}

async function lookForGo(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'it is built on Linux only'
  const answer = await run('go', ['version'], { env: goEnvironment() }).catch(() => undefined)
  const found = /go(\d+)\.(\d+)\S*/.exec(answer?.stdout ?? '')
  if (!found) return `it is built with Go ${MIN_GO.join('.')} or newer, which is not installed`
  const [major, minor] = [Number(found[1]), Number(found[2])]
  const fits = major > MIN_GO[0] || (major === MIN_GO[0] && minor >= MIN_GO[1])
  return fits ? undefined : `it is built with Go ${MIN_GO.join('.')} or newer; this is ${found[0]}`
}

/**
 * A second build waits for the lock and finds the binary. The kernel releases the lock of a killed one, and Go's cache
 * keeps each package that was compiled.
 */
const BUILD_ONCE = `
[ -x "$OUT" ] && exit 0
go build -trimpath -buildvcs=false -mod=readonly -v -ldflags "$LDFLAGS" "$@" -o "$OUT.part" "$TARGET" &&
mv "$OUT.part" "$OUT"
`

async function build(tool: GoTool, binary: string): Promise<void> {
  say(`${tool.name}: building; with nothing in Go's cache this takes about ${tool.duration}`)
  const flags = (tool.gcflags ?? []).map((each) => `-gcflags=${each}`)
  const script = ['sh', '-c', BUILD_ONCE, 'build', ...flags]
  const builder = spawn('flock', [`${binary}.lock`, ...script], {
    cwd: tool.folder,
    stdio: ['ignore', 'inherit', 'pipe'],
    env: { ...goEnvironment(), OUT: binary, LDFLAGS: tool.ldflags, TARGET: tool.target },
  })
  const { code, output } = await follow(tool.name, builder)
  if (code !== 0) throw new Error(`${tool.name} does not build:\n${output.slice(-30).join('\n')}`)
}

/** Reports the progress of the build: `go build -v` prints a line for each package. */
async function follow(name: string, builder: ChildProcess) {
  const started = performance.now()
  const seconds = () => Math.round((performance.now() - started) / 1000)
  const output: string[] = []
  const progress = setInterval(() => {
    const at = output.at(-1) ?? 'nothing to compile yet, or another build is running'
    say(`${name}: ${seconds()} s, ${output.length} steps done, now at ${at}`)
  }, PROGRESS_INTERVAL_MS)
  if (builder.stderr) createInterface(builder.stderr).on('line', (line) => output.push(line))
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      builder.once('error', reject)
      builder.once('close', resolve)
    })
    say(`${name}: ${code === 0 ? 'ready' : 'failed'} after ${seconds()} s`)
    return { code, output }
  } finally {
    clearInterval(progress)
  }
}

const say = (line: string) => process.stderr.write(`${line}\n`)
