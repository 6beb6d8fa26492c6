import { existsSync } from 'node:fs'
import { mkdir, readdir, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const ROOT = '/sys/fs/cgroup'
const PREFIX = 'svc-e2e-'
/** What a kubelet needs. */
const CONTROLLERS = ['cpu', 'cpuset', 'memory', 'pids'] as const

/**
 * Makes a cgroup for each node, below a name of this process. They have no namespace that the kernel would remove
 * with the world.
 * @returns the path below the root of the hierarchies
 * @throws Error when the kernel refuses
 */
export async function makeCgroups(nodes: readonly string[]): Promise<string> {
  await removeStaleCgroups()
  const name = `${PREFIX}${process.pid}`
  const isUnified = existsSync(join(ROOT, 'cgroup.controllers'))
  for (const hierarchy of await hierarchies()) {
    const top = join(hierarchy, name)
    await mkdir(top)
    if (isUnified) for (const each of [hierarchy, top]) await delegate(each)
    for (const node of nodes) await mkdir(join(top, node))
  }
  return `/${name}`
}

/** Of this process, and of runs that were killed. */
export async function removeCgroups(): Promise<void> {
  await removeAll((pid) => pid === process.pid)
}

async function removeStaleCgroups(): Promise<void> {
  await removeAll((pid) => !existsSync(`/proc/${pid}`))
}

async function removeAll(isMeant: (pid: number) => boolean): Promise<void> {
  // The runtime makes its own in the hierarchy of version 2 beside those of version 1.
  for (const hierarchy of [...(await hierarchies()), join(ROOT, 'unified')])
    for (const name of await readdir(hierarchy).catch(() => []))
      if (name.startsWith(PREFIX) && isMeant(Number(name.slice(PREFIX.length))))
        await removeTree(join(hierarchy, name))
}

/** The files in a cgroup go with it; only the cgroups below it must go before. */
async function removeTree(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  for (const each of entries) if (each.isDirectory()) await removeTree(join(folder, each.name))
  // One whose processes are just ending stays for the next run.
  await rmdir(folder).catch(() => undefined)
}

/** Version 2 has one hierarchy with all controllers, version 1 one for each controller. */
async function hierarchies(): Promise<readonly string[]> {
  if (existsSync(join(ROOT, 'cgroup.controllers'))) return [ROOT]
  const names = await readdir(ROOT, { withFileTypes: true })
  // A link is the second name of a hierarchy.
  const folders = names.filter((each) => each.isDirectory() && each.name !== 'unified')
  return folders.map(({ name }) => join(ROOT, name))
}

/** In version 2 a cgroup has the controllers that the one above it gives. */
const delegate = (folder: string): Promise<void> =>
  writeFile(join(folder, 'cgroup.subtree_control'), CONTROLLERS.map((each) => `+${each}`).join(' '))
