import { compiledPath, entries } from './entries.ts'
import { bundledPackages } from './libraries.ts'

/** package.json of the clone, as far as the package needs it. */
interface CloneManifest {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly bin: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

/** undici and the Stellar SDK need it. */
const OLDEST_NODE = '22.19.0'

/** Packages that src imports beyond the dependencies of the image, which has no store in memory. */
const alsoShipped = ['@electric-sql/pglite'] as const

/**
 * Packages that only some programs need and then install themselves, for the types of the stock packages and of the
 * Kubernetes client, and for the libraries of PKCS#11 tokens. npm refuses an installation when the project has a version outside of the range.
 */
const optional = {
  '@kubernetes/client-node': '*',
  '@x402/core': '>=2.9.0',
  '@x402/stellar': '>=2.9.0',
  koffi: '>=3.3.0',
} as const

/** package.json of the tarball. */
export function packageManifest(clone: CloneManifest) {
  const { name, version, description, license, bin, dependencies, devDependencies } = clone
  const also = alsoShipped.map((each) => [each, devDependencies[each]] as const)
  const missing = also.flatMap(([each, wanted]) => (wanted === undefined ? [each] : []))
  if (missing.length > 0) throw new Error(`package.json has no devDependency ${missing.join(', ')}`)
  const elsewhere = new Set<string>([...bundledPackages, ...Object.keys(optional)])
  const own = [...Object.entries(dependencies), ...also].filter(([each]) => !elsewhere.has(each))
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    engines: { node: `>=${OLDEST_NODE}` },
    bin,
    exports: {
      ...Object.fromEntries(
        Object.entries(entries).map(([entry, source]) => [
          entry,
          {
            types: `./${compiledPath(source, '.d.ts')}`,
            default: `./${compiledPath(source, '.js')}`,
          },
        ]),
      ),
      './package.json': './package.json',
    },
    scripts: { svc: 'node bin/svc' },
    dependencies: Object.fromEntries(own.toSorted(([one], [other]) => (one < other ? -1 : 1))),
    peerDependencies: optional,
    peerDependenciesMeta: Object.fromEntries(
      Object.keys(optional).map((each) => [each, { optional: true }]),
    ),
  }
}
