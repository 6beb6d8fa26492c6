/** The versions between which `make e2e-upgrade` moves: folders with all that an image and a chart are made of. */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type Addition, type LaterVersion, migrationName } from './additions.ts'

const run = promisify(execFile)

/** A version, released or not. */
export interface Tree {
  readonly folder: string
  readonly version: string
}

const git = async (root: string, ...args: readonly string[]): Promise<string> =>
  (await run('git', ['-C', root, ...args], { maxBuffer: 64 * 1024 * 1024 })).stdout

export const versionOf = (folder: string): string =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version

/**
 * Writes the version before that of the checkout to a folder: the newest tag `v*` in its history that is not of its own version, and before
 * the first release the checkout itself.
 */
export async function previousTree(root: string, folder: string): Promise<Tree> {
  const own = `v${versionOf(root)}`
  const listed = await git(root, 'tag', '--list', 'v*', '--merged', 'HEAD', '--sort=-v:refname')
  const tag = listed.split('\n').find((each) => /^v\d/.test(each) && each !== own)
  return tag === undefined ? laterTree(root, folder) : checkOut(root, tag, folder)
}

/** Writes the files of a tag to a folder; the repository does not know of it. */
async function checkOut(root: string, tag: string, folder: string): Promise<Tree> {
  mkdirSync(folder, { recursive: true })
  const archive = join(folder, '.tar')
  await git(root, 'archive', '--output', archive, tag)
  await run('tar', ['-xf', archive, '-C', folder])
  return { folder, version: tag.slice(1) }
}

/**
 * Copies the checkout as it is, with the additions of a version to come and its number in the chart; package.json keeps its own, so
 * that the images of both share the packages.
 */
export async function laterTree(
  root: string,
  folder: string,
  { version, additions }: LaterVersion = { version: versionOf(root), additions: [] },
): Promise<Tree> {
  const listed = await git(root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard')
  const parts =
    /^(src|bin|charts|contracts|docs|manifests)\/|^(package(-lock)?\.json|\.npmrc|LICENSE)$/
  for (const path of listed.split('\0').filter((each) => parts.test(each))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(join(root, path), join(folder, path))
  }
  edit(folder, 'charts/stellar-x402/Chart.yaml', /^version: .*/m, `version: ${version}`)
  edit(folder, 'charts/stellar-x402/Chart.yaml', /^appVersion: .*/m, `appVersion: "${version}"`)
  for (const addition of additions) {
    addMigration(folder, addition)
    if (addition.field !== undefined) addField(folder, addition.field)
  }
  return { folder, version }
}

function edit(folder: string, path: string, what: RegExp, by: string): void {
  const text = readFileSync(join(folder, path), 'utf8')
  if (!what.test(text)) throw new Error(`${path} has nothing like ${what}`)
  writeFileSync(
    join(folder, path),
    text.replace(what, () => by),
  )
}

const MIGRATIONS = 'src/platform/database/migrations/index.ts'

function addMigration(folder: string, addition: Addition): void {
  const name = migrationName(newestMigrationOf(folder), addition)
  const variable = `migration${name.slice(0, 4)}`
  const source = `import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const up: Migration['up'] = async (db) => {
${addition.statements.map((each) => `  await sql\`${each}\`.execute(db)`).join('\n')}
}

export const ${variable}: Migration = { up }
`
  writeFileSync(join(folder, `src/platform/database/migrations/${name}.ts`), source)
  edit(folder, MIGRATIONS, /\n}\n*$/, `\n  '${name}': ${variable},\n}\n`)
  edit(folder, MIGRATIONS, /^/, `import { ${variable} } from './${name}.ts'\n`)
}

/** Name of the last migration of a tree. */
function newestMigrationOf(folder: string): string {
  const text = readFileSync(join(folder, MIGRATIONS), 'utf8')
  const names = [...text.matchAll(/^ {2}'(\d{4}-[a-z0-9-]+)':/gm)].map(([, name = '']) => name)
  const last = names.toSorted().at(-1)
  if (last === undefined) throw new Error(`${MIGRATIONS} names no migration`)
  return last
}

/** In every version of the definitions, before a field that each kind has. */
function addField(folder: string, field: string): void {
  for (const kind of ['channelpools', 'facilitators']) {
    const path = join(folder, `charts/stellar-x402/files/crds/x402.svc.dev_${kind}.yaml`)
    const text = readFileSync(path, 'utf8')
    const spec = /^ {12}spec:\n.*\n {14}properties:\n/gm
    if (!spec.test(text)) throw new Error(`${path} has no properties of spec`)
    writeFileSync(
      path,
      text.replace(spec, (all) => `${all}                ${field}: { type: string }\n`),
    )
  }
}
