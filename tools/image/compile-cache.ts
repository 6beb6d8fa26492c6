import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { USER_ID } from './base.ts'
import { cachedFolder } from './cache.ts'
import { output } from './command.ts'
import type { Entry } from './tar.ts'
import { treeEntries } from './tree.ts'
import { linkTree } from './write-tree.ts'

/** Where src/commands/svc.ts keeps compiled code. */
export const COMPILE_CACHE = 'app/node_modules/.cache/svc'

/**
 * Node's module compile cache (https://nodejs.org/api/module.html#module-compile-cache) of every module that a command
 * imports: bytecode, and the sources without types. It is made inside the image's own root file system, because compiled
 * code contains the path of its source. Node reads it only from a folder that is named after its version, the
 * architecture, V8's flags that change bytecode, and the user id; not after the processor's model or the size of the heap.
 *
 * With --predictable, which does not count among those flags, V8 writes the same bytes each time.
 */
export async function compileCacheEntries(image: readonly Entry[]): Promise<Entry[]> {
  const folder = await cachedFolder('compiled', hashOf(image), async (work) => {
    const root = await mkdtemp(join(tmpdir(), 'svc-root-'))
    try {
      linkTree(root, image)
      await compile(root, modulesOf(image))
      const made = join(root, CACHE_IN_ROOT)
      for (const name of await readdir(made)) {
        await output('cp', ['-r', join(made, name), join(work, userOf(name))])
      }
    } finally {
      await rm(root, { recursive: true, force: true })
    }
  })
  return treeEntries(folder, { at: COMPILE_CACHE })
}

const CACHE_IN_ROOT = 'tmp/compiled'

/** The last part of the name is the id of the user who compiled. */
const userOf = (name: string): string => name.replace(/-\d+$/, `-${USER_ID}`)

/** Modules that the sources import dynamically: each command, and the modules that a command loads late. */
function modulesOf(image: readonly Entry[]): string[] {
  const paths = new Set(image.map(({ path }) => path))
  const found = image.flatMap((entry) => {
    if (entry.type !== 'file' || !/^app\/src\/.*\.ts$/.test(entry.path)) return []
    const targets = contentOf(entry)
      .toString()
      .matchAll(/import\('(\.[^']+)'\)/g)
    return [...targets].map(([, target = '']) => posix.join(posix.dirname(entry.path), target))
  })
  return [...new Set(found)].filter((path) => paths.has(path)).sort()
}

/** A command that the image leaves out lacks some of its modules; the others are compiled. */
const importAll = (modules: readonly string[]): string =>
  `for (const path of ${JSON.stringify(modules)}) await import('file:///' + path).catch(() => undefined)`

async function compile(root: string, modules: readonly string[]): Promise<void> {
  const onlyEnv = {
    PATH: '/usr/bin:/bin:/usr/sbin:/sbin',
    NODE_ENV: 'production',
    NODE_COMPILE_CACHE: `/${CACHE_IN_ROOT}`,
  }
  const change = process.getuid?.() === 0 ? ['chroot'] : ['unshare', '--map-root-user', 'chroot']
  const node = [...change, root, '/usr/local/bin/node', '--predictable']
  const [program = '', ...args] = node
  const inRoot = (more: readonly string[]) => output(program, [...args, ...more], { onlyEnv })
  await inRoot(['--input-type=module', '--eval', importAll(modules)])
  await inRoot(['/app/bin/svc', '--help'])
}

const contentOf = (entry: Entry & { type: 'file' }): Buffer =>
  entry.content instanceof Uint8Array
    ? Buffer.from(entry.content)
    : readFileSync(entry.content.file)

function hashOf(image: readonly Entry[]): string {
  const hash = createHash('sha256')
  for (const entry of inOrder(image)) {
    hash.update(`${entry.path}\0${entry.type}\0`)
    if (entry.type === 'file') hash.update(createHash('sha256').update(contentOf(entry)).digest())
  }
  return hash.digest('hex').slice(0, 32)
}

const inOrder = (image: readonly Entry[]): Entry[] =>
  image.toSorted((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0))
