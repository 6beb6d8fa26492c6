import { compiledPath, entries } from './entries.ts'

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

/**
 * What src imports beyond the dependencies of the image, which has neither the demo, nor the embedded network, nor the
 * store in memory, nor the scheme `upto` for sellers and buyers.
 */
const alsoShipped = [
  '@electric-sql/pglite',
  '@x402/core',
  '@x402/express',
  '@x402/extensions',
  '@x402/fetch',
  '@x402/stellar',
  'express',
  'selfsigned',
] as const

/** package.json of the tarball. */
export function packageManifest(clone: CloneManifest) {
  const { name, version, description, license, bin, dependencies, devDependencies } = clone
  const also = alsoShipped.map((each) => [each, devDependencies[each]] as const)
  const missing = also.flatMap(([each, wanted]) => (wanted === undefined ? [each] : []))
  if (missing.length > 0) throw new Error(`package.json has no devDependency ${missing.join(', ')}`)
  const all = Object.entries({ ...dependencies, ...Object.fromEntries(also) })
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
    dependencies: Object.fromEntries(all.toSorted(([one], [other]) => (one < other ? -1 : 1))),
  }
}
