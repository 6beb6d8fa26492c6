import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { apiReport } from '../../tools/package/declarations.ts'
import { entries } from '../../tools/package/entries.ts'

const { folder, tarball } = inject('installed')
/** A stock server takes the facilitator; one without `settle` it would not. */
const server = `
import { x402ResourceServer } from '@x402/core/server'
import { createFacilitator } from 'svc/facilitator'
export async function open(): Promise<x402ResourceServer> {
  const facilitator = await createFacilitator({ networks: {}, store: { kind: 'memory' } })
  // @ts-expect-error
  new x402ResourceServer({ verify: facilitator.verify, getSupported: facilitator.getSupported })
  return new x402ResourceServer(facilitator)
}
`
const bytes = (): Uint8Array<ArrayBuffer> => new Uint8Array(readFileSync(tarball))

it('docs/package-api.md shows the interface as it is; make package writes it', () => {
  expect(readFileSync('docs/package-api.md', 'utf8')).toBe(
    apiReport(join(folder, 'node_modules/svc')),
  )
})

it('publint finds nothing', async () => {
  const { messages, pkg } = await publint({
    pack: { tarball: bytes().buffer },
    strict: true,
  })
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
})

it('are-the-types-wrong finds nothing for programs that are ES modules', async () => {
  const checked = await checkPackage(createPackageFromTarballData(bytes()))
  if (!checked.types) throw new Error('the package has no types')
  const { problems } = checked
  // `require` of an ES module works in every Node that the package promises; older ones know no `exports`.
  const real = problems.filter(
    (problem) =>
      problem.kind !== 'CJSResolvesToESM' &&
      !('resolutionKind' in problem && problem.resolutionKind === 'node10'),
  )
  expect(real).toEqual([])
  expect(Object.keys(checked.entrypoints).filter((name) => name !== './package.json')).toEqual(
    Object.keys(entries),
  )
})

describe.each(['stock-2.9', 'stock-newest'])('beside the packages of %s', (stock) => {
  it('a program that uses every entry point type-checks, declarations of the package included', async () => {
    const program = await mkdtemp(join(folder, 'typed-'))
    onTestFinished(() => rm(program, { recursive: true, force: true }))
    const modules = join(program, 'node_modules')
    // The declarations alone, so that they find the packages that this project has beside them.
    await cp(join(folder, 'node_modules/svc'), join(modules, 'svc'), {
      recursive: true,
      filter: (path) => !/\.(js|map|wasm|bin)$/.test(path),
    })
    const fixture = resolve('test/fixtures', stock, 'node_modules')
    await mkdir(join(modules, '@types'))
    await mkdir(join(modules, '@kubernetes'))
    await symlink(join(fixture, '@x402'), join(modules, '@x402'))
    for (const name of ['@types/node', '@kubernetes/client-node']) {
      await symlink(resolve('node_modules', name), join(modules, name))
    }
    const imports = Object.keys(entries).map(
      (entry, at) => `export * as entry${at} from '${entry.replace('.', 'svc')}'`,
    )
    await writeFile(join(program, 'program.ts'), [...imports, server].join('\n'))
    await writeFile(
      join(program, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          module: 'nodenext',
          target: 'es2024',
          lib: ['es2024', 'esnext.disposable', 'dom'],
          strict: true,
          noEmit: true,
          types: ['node'],
          skipLibCheck: false,
        },
        files: ['program.ts'],
      }),
    )
    const tsc = resolve('node_modules/typescript/bin/tsc')
    const { stdout } = spawnSync(process.execPath, [tsc, '-p', program], { encoding: 'utf8' })
    // Declarations of some libraries need packages that these do not name.
    const own = /(node_modules\/svc\/|program\.ts)\S*: error TS/
    expect(stdout.split('\n').filter((line) => own.test(line))).toEqual([])
  })
})
