import { spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect, inject, it, onTestFinished } from 'vitest'
import { entries } from '../../tools/package/entries.ts'

/** A stock server takes the facilitator; one without `settle` it would not. */
const server = `
import { x402ResourceServer } from '@x402/core/server'
import { createFacilitator } from 'stellar-x402/facilitator'
export async function open(): Promise<x402ResourceServer> {
  const facilitator = await createFacilitator({ networks: {}, store: { kind: 'memory' } })
  // @ts-expect-error
  new x402ResourceServer({ verify: facilitator.verify, getSupported: facilitator.getSupported })
  return new x402ResourceServer(facilitator)
}
`

export function typeChecksBeside(stock: 'stock-2.9' | 'stock-newest'): void {
  const { folder } = inject('installed')
  it(`beside the packages of ${stock} a program that uses every entry point type-checks, declarations of the package included`, async () => {
    const program = await mkdtemp(join(folder, 'typed-'))
    onTestFinished(() => rm(program, { recursive: true, force: true }))
    const modules = join(program, 'node_modules')
    // The declarations alone, so that they find the packages that this project has beside them.
    await cp(join(folder, 'node_modules/stellar-x402'), join(modules, 'stellar-x402'), {
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
      (entry, at) => `export * as entry${at} from '${entry.replace('.', 'stellar-x402')}'`,
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
    const own = /(node_modules\/stellar-x402\/|program\.ts)\S*: error TS/
    expect(stdout.split('\n').filter((line) => own.test(line))).toEqual([])
  })
}
