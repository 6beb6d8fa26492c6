import { existsSync } from 'node:fs'
import { programInPath } from '../../test/cluster/support/debian-package.ts'
import { fetchedPrograms } from './fetched-programs.ts'

/** The programs of a node that are not built here, and the packages of Debian that have them. */
const packages = {
  containerd: 'containerd',
  ctr: 'containerd',
  'containerd-shim-runc-v2': 'containerd',
  runc: 'runc',
  iptables: 'iptables',
  nft: 'nftables',
  ipset: 'ipset',
  conntrack: 'conntrack',
} as const
const CNI_PACKAGE = 'containernetworking-plugins'
const CNI_PLUGINS = '/usr/lib/cni'
/** With the value `fetched`, programs that are installed are fetched too: to try what a new machine does. */
const CHOICE_VARIABLE = 'SVC_E2E_PROGRAMS'

export interface NodePrograms {
  /** The value of PATH with which all of them are found. */
  readonly path: string
  readonly cniPlugins: string
}

/**
 * Installed programs, if the machine has all of them; else those of Debian's packages, which are not installed.
 * @param folder for this run's links
 * @returns the reason without them
 */
export async function nodePrograms(
  folder: string,
): Promise<NodePrograms | { readonly missing: string }> {
  // Users other than root do not have these folders in their PATH.
  process.env['PATH'] = `${process.env['PATH']}:/usr/local/sbin:/usr/sbin:/sbin`
  const absent = await absentPrograms()
  if (absent.length === 0) return { path: process.env['PATH'], cniPlugins: CNI_PLUGINS }
  try {
    const names = [...new Set([...Object.values(packages), CNI_PACKAGE])]
    const fetched = await fetchedPrograms(names, folder)
    return { ...fetched, path: `${fetched.path}:${process.env['PATH']}` }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return {
      missing: `there is no ${absent.join(', ')}, and apt does not fetch it (${reason}). Install it`,
    }
  }
}

async function absentPrograms(): Promise<readonly string[]> {
  if (process.env[CHOICE_VARIABLE] === 'fetched') return Object.keys(packages)
  const absent: string[] = []
  for (const program of Object.keys(packages))
    if ((await programInPath(program)) === undefined) absent.push(program)
  return existsSync(`${CNI_PLUGINS}/bridge`) ? absent : [...absent, CNI_PACKAGE]
}
