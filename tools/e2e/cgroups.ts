import { existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = '/sys/fs/cgroup'
const PREFIX = 'svc-e2e-'
/** Controllers that a kubelet needs. */
const CONTROLLERS = '+cpu +cpuset +memory +pids'
/** Version 2 has one hierarchy with all controllers, version 1 one for each controller. */
const isUnified = existsSync(join(ROOT, 'cgroup.controllers'))

/**
 * Makes a cgroup for each node, below a name of this process. Cgroups have no namespace that the kernel would remove
 * with the world.
 * @returns the path below the root of the hierarchies
 * @throws Error when the kernel refuses
 */
export function makeCgroups(nodes: readonly string[]): string {
  const name = `${PREFIX}${process.pid}`
  for (const hierarchy of hierarchies()) {
    const top = join(hierarchy, name)
    mkdirSync(top)
    // In version 2 a cgroup has the controllers that the one above it gives.
    if (isUnified)
      for (const each of [hierarchy, top])
        writeFileSync(join(each, 'cgroup.subtree_control'), CONTROLLERS)
    for (const node of nodes) mkdirSync(join(top, node))
    prefer(top)
  }
  return `/${name}`
}

/** Removes the cgroups of this process. */
export const removeCgroups = (): void => removeAll((pid) => pid === process.pid)

/** Removes the cgroups of runs that were killed. */
export const removeStaleCgroups = (): void => removeAll((pid) => !existsSync(`/proc/${pid}`))

function removeAll(isMeant: (pid: number) => boolean): void {
  // The container runtime makes its own in the hierarchy of version 2 beside those of version 1.
  for (const hierarchy of [...hierarchies(), join(ROOT, 'unified')].filter(existsSync))
    for (const name of readdirSync(hierarchy))
      if (name.startsWith(PREFIX) && isMeant(Number(name.slice(PREFIX.length))))
        removeTree(join(hierarchy, name))
}

/** The files in a cgroup go with it; only the cgroups below it must go before. */
function removeTree(folder: string): void {
  for (const each of readdirSync(folder, { withFileTypes: true }))
    if (each.isDirectory()) removeTree(join(folder, each.name))
  try {
    rmdirSync(folder)
  } catch {
    // One whose processes are just ending stays for the next run.
  }
}

function hierarchies(): readonly string[] {
  if (isUnified) return [ROOT]
  // A link is the second name of a hierarchy.
  return readdirSync(ROOT, { withFileTypes: true })
    .filter((each) => each.isDirectory() && each.name !== 'unified')
    .map(({ name }) => join(ROOT, name))
}

/** Sixteen times the default, in the files of version 1 and 2. */
const WEIGHTS = { 'cpu.shares': 16 * 1024, 'cpu.weight': 16 * 100 } as const

/**
 * All pods of the world share the processor as one cgroup. With the usual weight they would get together what one
 * process outside gets, and on a busy machine the ledger would fall behind the payments.
 */
function prefer(folder: string): void {
  for (const [file, weight] of Object.entries(WEIGHTS)) {
    const path = join(folder, file)
    if (existsSync(path)) writeFileSync(path, String(weight))
  }
}
