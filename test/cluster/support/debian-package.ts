import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { toolFolder } from '../../support/tool-cache.ts'
import type { Tool } from './go-build.ts'

const run = promisify(execFile)

/**
 * A program out of a package of the Debian release that runs here, unpacked into the cache without
 * root. apt checks the package against the signed lists. One in the PATH is taken before.
 * @param tryOut the argument with which the program ends at once
 */
export async function fetchDebianProgram(
  name: string,
  file: string,
  tryOut = '--version',
): Promise<Tool> {
  const found = await presentDebianProgram(name, file)
  if ('path' in found) return found
  const folder = await folderOf(name)
  const path = join(folder, 'root', file)
  try {
    await unpack(name, folder)
    await run(path, [tryOut])
    return { path }
  } catch (error) {
    return { missing: `there is no ${basename(file)}, and apt does not fetch ${name}: ${error}` }
  }
}

/** The program when it is in the PATH, or when an earlier run has fetched it. */
export async function presentDebianProgram(name: string, file: string): Promise<Tool> {
  const installed = await programInPath(basename(file))
  if (installed !== undefined) return { path: installed }
  const path = join(await folderOf(name), 'root', file)
  if (existsSync(path)) return { path }
  return {
    missing: `${basename(file)} is not installed; \`make test-cluster\` fetches it in 20 seconds`,
  }
}

const folderOf = async (name: string): Promise<string> => toolFolder(name, await releaseKey())

export async function programInPath(program: string): Promise<string | undefined> {
  const found = await run('sh', ['-c', `command -v ${program}`]).catch(() => undefined)
  return found?.stdout.trim() || undefined
}

/** A package fits the release and the machine that it is made for. */
async function releaseKey(): Promise<string> {
  const facts = await readFile('/etc/os-release', 'utf8').catch(() => '')
  const release = /^VERSION_ID="?([\w.]+)/m.exec(facts)?.[1] ?? 'unknown'
  return `${release}-${process.arch}`
}

/** Unpacks in a folder of its own and renames it, so that another run never uses an incomplete one. */
async function unpack(name: string, folder: string): Promise<void> {
  const work = await mkdtemp(join(folder, 'unpacking-'))
  try {
    await download(name, work)
    const archive = (await readdir(work)).find((each) => each.endsWith('.deb'))
    if (archive === undefined) throw new Error('apt-get download left no package')
    await run('dpkg-deb', ['-x', archive, 'root'], { cwd: work })
    await rename(join(work, 'root'), join(folder, 'root')).catch((error: NodeJS.ErrnoException) => {
      // Another run may have finished first.
      if (!existsSync(join(folder, 'root'))) throw error
    })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** Without apt's package lists, as in many images, fetches them first: 10 s. */
async function download(name: string, work: string): Promise<void> {
  const fetched = await run('apt-get', ['download', name], { cwd: work }).catch(() => undefined)
  if (fetched !== undefined) return
  await mkdir(join(work, 'lists', 'partial'), { recursive: true })
  await mkdir(join(work, 'cache', 'archives', 'partial'), { recursive: true })
  const settings = [
    `Dir::State::lists=${join(work, 'lists')}`,
    `Dir::Cache=${join(work, 'cache')}`,
    // The locks need root, and no other process uses these folders.
    'Debug::NoLocking=1',
  ].flatMap((setting) => ['-o', setting])
  await run('apt-get', [...settings, '-qq', 'update'], { cwd: work })
  await run('apt-get', [...settings, 'download', name], { cwd: work })
}
