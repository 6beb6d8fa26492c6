import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { toolFolder } from './cache.ts'
import type { Tool } from './go-build.ts'

const run = promisify(execFile)

/**
 * A program out of a package of the Debian release that runs here, unpacked into the cache without
 * root. apt checks the package against the signed lists. One in the PATH is taken before.
 */
export async function debianProgram(name: string, file: string): Promise<Tool> {
  const installed = await pathOf(basename(file))
  if (installed !== undefined) return { path: installed }
  const version = await candidateOf(name)
  if (version === undefined) {
    return { missing: `there is no ${basename(file)}, and apt knows no package ${name}` }
  }
  const folder = await toolFolder(name, version.replaceAll(/[^\w.+-]/g, '_'))
  const path = join(folder, 'root', file)
  if (existsSync(path)) return { path }
  try {
    await unpack(name, folder)
  } catch (error) {
    return { missing: `there is no ${basename(file)}, and apt does not fetch ${name}: ${error}` }
  }
  await run(path, ['--version'])
  return { path }
}

async function pathOf(program: string): Promise<string | undefined> {
  const found = await run('sh', ['-c', `command -v ${program}`]).catch(() => undefined)
  return found?.stdout.trim() || undefined
}

async function candidateOf(name: string): Promise<string | undefined> {
  const policy = await run('apt-cache', ['policy', name]).catch(() => undefined)
  const version = /Candidate: (\S+)/.exec(policy?.stdout ?? '')?.[1]
  return version === '(none)' ? undefined : version
}

/** Unpacks beside the goal and renames, so that nobody ever sees half of it. */
async function unpack(name: string, folder: string): Promise<void> {
  const work = await mkdtemp(join(folder, 'unpacking-'))
  try {
    await run('apt-get', ['download', name], { cwd: work })
    const archive = (await readdir(work)).find((each) => each.endsWith('.deb'))
    if (archive === undefined) throw new Error('apt-get download left no package')
    await run('dpkg-deb', ['-x', archive, 'root'], { cwd: work })
    await rename(join(work, 'root'), join(folder, 'root')).catch((error: NodeJS.ErrnoException) => {
      // Another run was quicker.
      if (!existsSync(join(folder, 'root'))) throw error
    })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}
