import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/* The conformance program of the protocol's authors, at the version that package.json names. */

const program = fileURLToPath(
  import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'),
)

/** `/mcp` of a facilitator, and servers of either SDK that sell the tools that the program calls: that of the first has sessions. */
type Served = 'endpoint' | 'sold by sdk 1' | 'sold by sdk 2'

interface Row {
  readonly scenarios: readonly string[]
  /** The servers that cannot pass them. @default all */
  readonly of?: readonly Served[]
  readonly because: string
}

/** The scenarios that cannot pass. The program reports each that passes nevertheless, and each other one that fails. */
const notOffered: readonly Row[] = [
  {
    scenarios: [
      ...['prompts-list', 'prompts-get-simple', 'prompts-get-with-args'],
      ...['prompts-get-embedded-resource', 'prompts-get-with-image'],
    ],
    because: 'No server here has prompts.',
  },
  {
    scenarios: [
      ...['resources-list', 'resources-read-text', 'resources-read-binary'],
      ...['resources-templates-read', 'resources-subscribe', 'resources-unsubscribe'],
    ],
    because: 'No server here has resources.',
  },
  { scenarios: ['completion-complete'], because: 'There is nothing whose arguments complete.' },
  {
    scenarios: ['server-sse-polling'],
    because: 'It is about streams that outlive a connection: no server here keeps events.',
  },
  {
    scenarios: ['server-sse-multiple-streams'],
    of: ['endpoint', 'sold by sdk 2'],
    because: 'It is about the streams of a session.',
  },
  {
    scenarios: ['elicitation-sep1034-defaults', 'elicitation-sep1330-enums'],
    because:
      'They are about the schema of a question, which the tool writes and the SDK passes on.',
  },
  {
    scenarios: ['tools-call-sampling', 'tools-call-elicitation'],
    of: ['endpoint', 'sold by sdk 2'],
    because: 'A server without sessions cannot ask a client of that protocol within a call.',
  },
  {
    scenarios: ['json-schema-2020-12'],
    of: ['sold by sdk 1'],
    because: 'The first SDK describes tools in draft 7 of JSON Schema.',
  },
  {
    scenarios: ['logging-set-level', 'tools-call-with-logging'],
    of: ['endpoint'],
    because: 'The endpoint sends no log messages.',
  },
  {
    scenarios: [
      ...['tools-call-simple-text', 'tools-call-image', 'tools-call-audio'],
      ...['tools-call-embedded-resource', 'tools-call-mixed-content', 'tools-call-error'],
      ...['tools-call-with-progress', 'json-schema-2020-12'],
    ],
    of: ['endpoint'],
    because: 'They call tools of names that the program chose, which the endpoint does not have.',
  },
  {
    scenarios: ['dns-rebinding-protection'],
    of: ['sold by sdk 1', 'sold by sdk 2'],
    because: 'Hosts and origins are checked by the HTTP server of the seller, around the SDK.',
  },
]

interface Conformance {
  /** 0 when exactly the scenarios that cannot pass have failed. */
  readonly code: number
  /** The names of the scenarios that passed, in order of the alphabet. */
  readonly passed: readonly string[]
  /** What the program printed at its end. */
  readonly said: string
}

/** Runs every server scenario against the server at this URL. */
export async function conformance(url: string, served: Served): Promise<Conformance> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-mcp-conformance-'))
  try {
    const failing = notOffered
      .filter(({ of }) => of?.includes(served) ?? true)
      .flatMap(({ scenarios }) => scenarios)
    const baseline = join(folder, 'expected-failures.yml')
    await writeFile(baseline, JSON.stringify({ server: failing }))
    const results = join(folder, 'results')
    const args = ['server', '--url', url, '--suite', 'all', '--expected-failures', baseline]
    const run = spawn(process.execPath, [program, ...args, '--output-dir', results], {
      cwd: folder,
      env: { PATH: process.env['PATH'], NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const said = Promise.all([text(run.stdout), text(run.stderr)])
    const [code] = (await once(run, 'close')) as [number]
    const played = (await readdir(results)).map(
      (name) => /^server-(.+)-\d{4}-\d\d-\d\dT/.exec(name)?.[1] ?? name,
    )
    const passed = played.filter((name) => !failing.includes(name)).sort()
    const [printed, complaints] = await said
    return { code, passed, said: `${printed.split('=== SUMMARY ===').at(-1)}${complaints}` }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
