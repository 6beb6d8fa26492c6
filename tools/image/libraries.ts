import { createHash } from 'node:crypto'
import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cachedFolder } from './cache.ts'
import { output } from './command.ts'
import type { Entry } from './tar.ts'
import { treeEntries } from './tree.ts'

const inputs = ['package.json', 'package-lock.json', '.npmrc'] as const

/**
 * The folder node_modules of production, as package-lock.json describes it: not that of the developer, which holds more.
 * No script of a library runs: none that production needs has one.
 */
export async function libraries(tree: string, arch: 'x64' | 'arm64'): Promise<string> {
  const hash = createHash('sha256').update(arch)
  for (const name of inputs) hash.update('\0').update(await readFile(join(tree, name)))
  const key = hash.digest('hex').slice(0, 32)
  const folder = await cachedFolder('libraries', key, async (work) => {
    for (const name of inputs) await cp(join(tree, name), join(work, name))
    const machine = ['--os=linux', `--cpu=${arch}`, '--libc=glibc']
    const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
    await output('npm', ['ci', '--omit=dev', '--ignore-scripts', ...machine, ...quiet], {
      cwd: work,
    })
  })
  return join(folder, 'node_modules')
}

/**
 * Files that no process of the image can read or run. Node refuses to strip types below node_modules, so TypeScript there
 * never runs; `.bare` files are add-ons for another runtime; a source map is read only with --enable-source-maps.
 */
const neverUsed: readonly RegExp[] = [
  /(^|\/)(\.bin|\.cache|\.package-lock\.json)$/,
  /\.(ts|cts|mts|tsx|flow|map|bare)$/,
  /(^|\/)(readme|changelog|history|contributing|security|governance|migration)[^/]*\.(md|markdown|txt)$/i,
  // The builds for browsers: the package's `exports` name only files of lib/.
  /^@stellar\/stellar-sdk\/dist$/,
  // Sources in C++, and the add-on for another C library: the image has the add-on of glibc.
  /^koffi\/(doc|lib|vendor|src\/.*\.(cc|hh|inc|S|asm))$/,
  /^@koromix\/koffi-[^/]+\/musl_[^/]+$/,
]

/** Licences stay. npm's own notes differ from one version of npm to the next, and no program of a library runs. */
export const isUsed = (path: string): boolean => !neverUsed.some((each) => each.test(path))

export const libraryEntries = (folder: string): Entry[] =>
  treeEntries(folder, { at: 'app/node_modules', keep: isUsed })

/** Each package of the folder, with what its manifest says, in the order of the paths. */
export async function librariesIn(folder: string): Promise<readonly Library[]> {
  const lock = JSON.parse(await readFile(join(folder, '.package-lock.json'), 'utf8'))
  const packages = Object.entries<LockedPackage>(lock.packages)
  return packages
    .map(([path, { version, integrity, license }]) => ({
      path,
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version,
      integrity,
      license,
    }))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1))
}

interface LockedPackage {
  readonly version: string
  readonly integrity?: string | undefined
  readonly license?: string | undefined
}

export interface Library extends LockedPackage {
  /** From the folder above node_modules. */
  readonly path: string
  readonly name: string
}
