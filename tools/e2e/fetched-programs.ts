import { existsSync, readdirSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { output } from '../image/command.ts'
import { type DebianPackage, debianPackages } from '../image/debian.ts'
import type { NodePrograms } from './programs.ts'

const PROGRAM_FOLDERS = ['usr/bin', 'usr/sbin', 'bin', 'sbin']
/** The C library must be that of the machine, with whose loader the programs start. */
const OF_THE_MACHINE = ['libc6', 'libgcc-s1', 'libcrypt1']
/** An installation makes these names as alternatives. */
const alternatives = ['iptables', 'ip6tables'].flatMap((name) =>
  ['', '-save', '-restore'].map((suffix) => [`${name}${suffix}`, `${name}-nft${suffix}`] as const),
)

/**
 * Programs of Debian's packages with their libraries, from the cache: nothing is installed.
 * @param folder gets a script a program, which sets the folders of its libraries
 */
export async function fetchedPrograms(
  names: readonly string[],
  folder: string,
): Promise<NodePrograms> {
  const packages = await withLibraries(names)
  const bin = await writeScripts(packages, folder)
  const plugins = packages.map(({ root }) => join(root, 'usr/lib/cni')).find(existsSync)
  if (plugins === undefined) throw new Error('The packages have no CNI plugins.')
  return { path: bin, cniPlugins: plugins }
}

/** The same for programs that need no plugins: the value of PATH. */
export const fetchedFolder = async (names: readonly string[], folder: string): Promise<string> =>
  writeScripts(await withLibraries(names), folder)

async function writeScripts(packages: readonly DebianPackage[], folder: string): Promise<string> {
  const bin = join(folder, 'bin')
  await mkdir(bin, { recursive: true })
  const environment = environmentOf(packages)
  for (const { root } of packages)
    for (const path of programsIn(root)) {
      const name = path.slice(path.lastIndexOf('/') + 1)
      const names = alternatives.filter(([, real]) => real === name).map(([short]) => short)
      for (const each of [name, ...names]) await writeScript(join(bin, each), environment, path)
    }
  return bin
}

/** With the libraries that they depend on, and those that these depend on. */
export async function withLibraries(names: readonly string[]): Promise<readonly DebianPackage[]> {
  const architecture = (await output('dpkg', ['--print-architecture'])).trim()
  if (architecture !== 'amd64' && architecture !== 'arm64')
    throw new Error(`The tests run on amd64 and arm64, and this is ${architecture}.`)
  const found = new Map<string, DebianPackage>()
  let wanted = names
  while (wanted.length > 0) {
    for (const each of await debianPackages(wanted, architecture)) found.set(each.name, each)
    wanted = [...new Set([...found.values()].flatMap(libraryNames))].filter(
      (name) => !found.has(name),
    )
  }
  return [...found.values()]
}

const libraryNames = ({ control }: DebianPackage): readonly string[] =>
  [...control.matchAll(/^(?:Pre-)?Depends: (.*)$/gm)]
    .flatMap(([, list = '']) => list.split(','))
    // A name, its architecture, its versions, and the alternatives to it.
    .map((dependency) => /^\s*([a-z0-9.+-]+)/.exec(dependency)?.[1] ?? '')
    .filter((name) => name.startsWith('lib') && !OF_THE_MACHINE.includes(name))

const programsIn = (root: string): readonly string[] =>
  PROGRAM_FOLDERS.map((folder) => join(root, folder))
    .filter(existsSync)
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))

function environmentOf(packages: readonly DebianPackage[]): string {
  const libraries = packages
    .flatMap(({ root }) => ['usr/lib', 'lib'].map((folder) => join(root, folder)))
    .filter(existsSync)
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((folder) => folder.endsWith('-linux-gnu'))
  const extensions = libraries.map((folder) => join(folder, 'xtables')).find(existsSync)
  return `LD_LIBRARY_PATH=${libraries.join(':')} XTABLES_LIBDIR=${extensions}`
}

async function writeScript(file: string, environment: string, program: string): Promise<void> {
  await writeFile(file, `#!/bin/sh\n${environment} exec ${program} "$@"\n`)
  await chmod(file, 0o755)
}
