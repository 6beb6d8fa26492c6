import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { programInPath } from '../../test/cluster/support/debian-package.ts'

const PROGRAMS = ['containerd', 'ctr', 'runc', 'iptables', 'nft', 'ipset', 'conntrack'] as const
const CNI_PLUGINS = '/usr/lib/cni'

interface NodePrograms {
  /** The value of PATH with which all of them are found. */
  readonly path: string
  readonly cniPlugins: string
}

export async function nodePrograms(): Promise<NodePrograms | { readonly missing: string }> {
  // Debian's users do not have it in their PATH, but that is where the programs are.
  process.env['PATH'] = `${process.env['PATH']}:/usr/local/sbin:/usr/sbin:/sbin`
  for (const program of PROGRAMS)
    if ((await programInPath(program)) === undefined) return { missing: `there is no ${program}` }
  if (!existsSync(CNI_PLUGINS)) return { missing: `there is no ${CNI_PLUGINS}` }
  return { path: process.env['PATH'], cniPlugins: dirname(`${CNI_PLUGINS}/bridge`) }
}
