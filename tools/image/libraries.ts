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

/** npm's own notes differ from one version of npm to the next, and no program of a library runs. */
export const libraryEntries = (folder: string): Entry[] =>
  treeEntries(folder, {
    at: 'app/node_modules',
    keep: (path) => !/(^|\/)(\.bin|\.cache|\.package-lock\.json)$/.test(path),
  })
