import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, test } from 'vitest'
import { importCycles } from '../../support/import-cycles.ts'
import { factsOf, readSource, type SourceFacts } from '../../support/source-facts.ts'
import { edgeFolders, exceptions, mayImport, vendors } from './modules.ts'

const edgeGlobals = ['process.env', 'process.exit', 'Date.now', 'new Date', 'Math.random']

const MAX_LINES = 400

type Rule = (file: string, facts: SourceFacts) => readonly string[]

/** Whether a file below `src` is a path of the tables, or lies in it. */
const isWithin = (file: string) => (path: string) =>
  file === `src/${path}` || file.startsWith(`src/${path}/`)

const moduleOf = (file: string): string | undefined =>
  Object.keys(mayImport)
    .filter(isWithin(file))
    .toSorted((one, other) => other.length - one.length)[0]

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
  const from = moduleOf(file)
  if (from === undefined) return 'is in no module of the table'
  const allowed = mayImport[from] ?? []
  if (from === moduleOf(target) || allowed.some(isWithin(target))) return undefined
  if (exceptions[file.slice('src/'.length)]?.some(isWithin(target))) return undefined
  return `imports ${target}; ${from} may import ${allowed.join(', ') || 'nothing'}`
}

function vendorProblem(file: string, specifier: string): string | undefined {
  if (specifier.startsWith('node:')) return undefined
  const [scope = '', name = ''] = specifier.split('/')
  const vendor = scope.startsWith('@') ? `${scope}/${name}` : scope
  const folders = vendors[vendor]
  if (folders === undefined) return `imports ${vendor}, which no module may`
  if (folders.some(isWithin(file))) return undefined
  return `imports ${vendor}, which only ${folders.join(', ')} may`
}

const globalsStayAtTheEdge: Rule = (file, { globals }) =>
  edgeFolders.some(isWithin(file))
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

  test.each(Object.entries(exceptions))('make each exception of %s', (name, targets) => {
    const [file = '', facts] = sources.find(([path]) => path === `src/${name}`) ?? []
    const imported = facts?.imports.map(({ what }) => normalize(join(dirname(file), what)))
    expect(imported).toEqual(expect.arrayContaining(targets.map((target) => `src/${target}`)))
  })

  test('are in the table of docs/architecture.md', () => {
    const page = readFileSync('docs/architecture.md', 'utf8')
    const [, after = ''] = page.split('| Module | May import |\n| - | - |\n')
    const rows = Object.entries(mayImport).map(
      ([module, allowed]) => `| ${module} | ${allowed.join(', ') || 'nothing'} |`,
    )
    expect(after.split('\n\n')[0]).toBe(rows.join('\n'))
  })

  test.each([
    {
      code: "import { a } from '../../platform/database/open.ts'",
      problem: 'imports src/platform/database/open.ts',
    },
    {
      code: "import type { A } from '../../platform/database/open.ts'",
      problem: 'imports src/platform/database/open.ts',
    },
    {
      code: "export * from '../../platform/database/open.ts'",
      problem: 'imports src/platform/database/open.ts',
    },
    {
      code: "export { type A } from '../../platform/database/open.ts'",
      problem: 'imports src/platform/database/open.ts',
    },
    {
      code: "await import('../../platform/database/open.ts')",
      problem: 'imports src/platform/database/open.ts',
    },
    {
      code: "type A = import('../../platform/database/open.ts').A",
      problem: 'imports src/platform/database/open.ts',
    },
    { code: "import '../../../test/support/x.ts'", problem: 'imports test/support/x.ts' },
    {
      code: "import { Pool } from 'pg'",
      problem: 'imports pg, which only platform/database, payments/store may',
    },
    { code: "import 'kysely/migration'", problem: 'imports kysely, which only platform/database' },
    {
      code: "import '@x402/core/http'",
      problem: 'imports @x402/core, which only buying, selling, demo, package may',
    },
    { code: "import 'left-pad'", problem: 'imports left-pad, which no module may' },
    { code: 'const x = await import(name)', problem: 'has an import with a computed path' },
    { code: 'process.exit(1)', problem: 'uses process.exit' },
    { code: "const { PORT } = process['env']", problem: 'uses process.env' },
    { code: 'const now = Date.now()', problem: 'uses Date.now' },
    { code: 'const now = new Date()', problem: 'uses new Date' },
    { code: 'const now = Math.random', problem: 'uses Math.random' },
    { code: 'a()\n'.repeat(401), problem: 'src/payments/checks/planted.ts has 401 lines' },
  ])('may not contain: $code', ({ code, problem }) => {
    expect(problemsOf('src/payments/checks/planted.ts', code).join()).toContain(problem)
  })

  test.each([
    "// import { Pool } from 'pg'",
    "const text = 'Date.now() and process.env'",
    'const then = new Date(0)',
    "import { Fault } from '../../platform/core/errors/faults.ts'",
    "import { join } from 'node:path'",
  ])('may contain: %s', (code) => {
    expect(problemsOf('src/payments/checks/planted.ts', code)).toEqual([])
  })

  test.each([
    ['src/platform/core/planted.ts', '../../payments/protocol/reasons.ts'],
    ['src/platform/database/planted.ts', '../../catalog/store/tables.ts'],
    ['src/payments/engine/planted.ts', '../../catalog/store/delete-old-outcomes.ts'],
    ['src/payments/schemes/exact/planted.ts', '../../store/settlements/settlement.ts'],
    ['src/catalog/planted.ts', '../payments/engine/settle.ts'],
    ['src/explorer/planted.ts', './web/pages.ts'],
    ['src/service/planted.ts', '../commands/main.ts'],
    ['src/commands/planted.ts', '../package/client.ts'],
  ])('keep %s from %s', (file, specifier) => {
    expect(problemsOf(file, `import '${specifier}'`).join()).toContain(' may import ')
  })

  test('are all in the table', () => {
    expect(problemsOf('src/attic/planted.ts', "import '../core/faults.ts'").join()).toContain(
      'is in no module of the table',
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
