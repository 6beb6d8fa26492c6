/**
 * Copies the files that the Dockerfile would put into the image, without a container engine: those that
 * .dockerignore does not exclude, and the production dependencies.
 */
import { execFile } from 'node:child_process'
import { cp, mkdir, readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export const projectRoot = join(import.meta.dirname, '../..')

/** The paths that .dockerignore includes, with everything below them, and those it excludes again. */
export async function buildContext(): Promise<{ in: readonly string[]; out: readonly string[] }> {
  const lines = (await readFile(join(projectRoot, '.dockerignore'), 'utf8'))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  const [everything, ...rest] = lines
  if (everything !== '*') throw new Error('.dockerignore is to begin with leaving out everything')
  return {
    in: rest.filter((line) => line.startsWith('!')).map((line) => line.slice(1)),
    out: rest.filter((line) => !line.startsWith('!')),
  }
}

/** Fills a folder with the content of the image's `/app`. */
export async function assembleImage(folder: string): Promise<void> {
  const context = await buildContext()
  const isOut = (path: string) =>
    context.out.some((each) => path === each || path.startsWith(`${each}/`))
  for (const path of context.in) {
    await cp(join(projectRoot, path), join(folder, path), {
      recursive: true,
      filter: (source) => !isOut(relative(projectRoot, source)),
    })
  }
  await linkLibraries(folder)
}

/** As `npm ci --omit=dev` would install them; linked, since copying 200 MB is slow. */
async function linkLibraries(folder: string): Promise<void> {
  const { stdout } = await run('npm', ['ls', '--omit=dev', '--all', '--parseable'], {
    cwd: projectRoot,
    maxBuffer: 16 * 1024 * 1024,
  })
  const libraries = stdout
    .split('\n')
    .filter((path) => path.includes('node_modules'))
    .map((path) => relative(projectRoot, path))
    // A nested package is linked with its parent.
    .filter((path) => path.lastIndexOf('node_modules') === 0)
  for (const path of libraries) {
    await mkdir(join(folder, dirname(path)), { recursive: true })
    const source = join(projectRoot, path)
    const goal = join(folder, path)
    await run('cp', ['-rl', source, goal]).catch(() => run('cp', ['-r', source, goal]))
  }
}
