import { readFileSync } from 'node:fs'
import crates from './crate-licences.json' with { type: 'json' }

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

interface LockedPackage {
  readonly version: string
  readonly license?: string
  readonly dev?: boolean
  readonly devOptional?: boolean
  /** Optional packages with machine code name the systems and processors that it is for. */
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
}

/** Processors of the image. */
const processors = ['x64', 'arm64']

/** Whether a machine like one of the image's installs the package. */
const isForImage = ({ os, cpu }: LockedPackage): boolean =>
  (!os || os.includes('linux')) && (!cpu || processors.some((each) => cpu.includes(each)))

/** The packages that `npm ci --omit=dev` installs for either processor, as `name version`, with their licences. */
function productionPackages(): ReadonlyMap<string, string> {
  const { packages } = JSON.parse(read('package-lock.json'))
  const installed = Object.entries<LockedPackage>(packages).filter(
    ([path, locked]) => path !== '' && !locked.dev && !locked.devOptional && isForImage(locked),
  )
  return new Map(
    installed.map(([path, { version, license }]) => {
      const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
      if (!license) throw new Error(`package-lock.json has no licence of ${name} ${version}`)
      return [`${name} ${version}`, license]
    }),
  )
}

/** Crates of the Soroban host that are ours: the module itself, and the replacement in `vendor`. */
const ownCrates = ['soroban-host', 'getrandom']

/**
 * The crates that are linked into host.wasm. Cargo.lock has no licences, so they are in a file, which
 * must name every crate of Cargo.lock.
 */
function linkedCrates(): ReadonlyMap<string, string> {
  const locked = [
    ...read('src/localnet/host/Cargo.lock').matchAll(/^name = "(.*)"\nversion = "(.*)"$/gm),
  ]
    .filter(([, name = '']) => !ownCrates.includes(name))
    .map(([, name, version]) => `${name} ${version}`)
  const named = [...Object.keys(crates.linked), ...crates.notLinked]
  const missing = locked.filter((crate) => !named.includes(crate))
  const gone = named.filter((crate) => !locked.includes(crate))
  if (missing.length + gone.length > 0) {
    throw new Error(
      `crate-licences.json differs from the Cargo.lock of the host: it lacks [${missing}], and has [${gone}]. \`cargo metadata --filter-platform wasm32-unknown-unknown\` has the licences.`,
    )
  }
  return new Map(Object.entries(crates.linked))
}

/** A row for each licence: how many packages have it, and which. The most common licence comes first. */
function table(licences: ReadonlyMap<string, string>): string {
  const byLicence = Map.groupBy(licences.keys(), (name) => licences.get(name) ?? '')
  const rows = [...byLicence]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([licence, names]) => `| ${licence} | ${names.length} | ${names.toSorted().join(', ')} |`)
  return ['| Licence | Packages | Which |', '| - | - | - |', ...rows].join('\n')
}

/** `docs/licences.md`. */
export const licencesPage = (made: string): string => {
  const packages = productionPackages()
  const linked = linkedCrates()
  return `${[
    '# Licences',
    made,
    [
      'This page lists the licences of everything that the image contains beside Node and its base image, as the packages declare them. This',
      'project itself is under [Apache-2.0](../LICENSE). Packages that only development and tests use are not listed.',
    ].join('\n'),
    '## Packages of npm',
    `The ${packages.size} packages that \`npm ci --omit=dev\` installs on Linux, for x64 or arm64:`,
    table(packages),
    '## Crates in the Soroban host',
    [
      `The ${linked.size} crates that are compiled into \`host.wasm\` of the [embedded network](localnet-host.md), or that generate code for it.`,
      'No production service uses them.',
    ].join('\n'),
    table(linked),
  ].join('\n\n')}\n`
}
