import { globSync, readFileSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { output } from '../image/command.ts'
import { bundleLibraries } from './bundle.ts'
import { compile } from './compile.ts'
import { removeUnreachable } from './declarations.ts'
import { COMPILED } from './entries.ts'
import { packageManifest } from './manifest.ts'

const project = join(import.meta.dirname, '../..')

/** Files that programs of src read at run time, and what a licence requires beside them. */
const copied: readonly (readonly [from: string, to: string])[] = [
  ['LICENSE', 'LICENSE'],
  ['docs/licences.md', 'LICENCES.md'],
  ['docs/package.md', 'README.md'],
  ['contracts/upto/upto.wasm', 'contracts/upto/upto.wasm'],
  ['bin', 'bin'],
]

/** All that is not TypeScript, without the Rust sources of the Soroban host. */
const assets = (): string[] =>
  globSync('src/**/*.{bin,wasm,css,js,svg,json}', { cwd: project }).filter(
    (path) => !path.startsWith('src/localnet/host/vendor/'),
  )

export interface BuiltPackage {
  /** The tarball. */
  readonly file: string
  readonly bytes: number
  readonly files: number
}

/** Compiles the clone and packs it into `stellar-x402-VERSION.tgz` in a folder. */
export async function buildPackage(folder: string): Promise<BuiltPackage> {
  const stage = await mkdtemp(join(tmpdir(), 'svc-package-'))
  try {
    await compile(join(stage, COMPILED))
    removeUnreachable(stage)
    await bundleLibraries(join(stage, COMPILED))
    for (const [from, to] of copied) await copy(from, join(stage, to))
    for (const asset of assets()) await copy(asset, join(stage, asset.replace('src', COMPILED)))
    for (const program of ['bin/svc', 'bin/kubectl-svc']) await chmod(join(stage, program), 0o755)
    const manifest = packageManifest(
      JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')),
    )
    await writeFile(join(stage, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
    await mkdir(folder, { recursive: true })
    const packed = await output('npm', ['pack', '--json', '--pack-destination', folder], {
      cwd: stage,
    })
    return toBuilt(packed, folder)
  } finally {
    await rm(stage, { recursive: true, force: true })
  }
}

function toBuilt(packed: string, folder: string): BuiltPackage {
  // npm 12 prints an object by package name, npm 11 and older an array.
  const [result] = Object.values<{ filename: string; size: number; entryCount: number }>(
    JSON.parse(packed),
  )
  if (result === undefined) throw new Error(`npm pack made no package: ${packed}`)
  return { file: join(folder, result.filename), bytes: result.size, files: result.entryCount }
}

async function copy(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true })
  await cp(join(project, from), to, { recursive: true })
}
