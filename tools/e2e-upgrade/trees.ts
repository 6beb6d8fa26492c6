/** The releases between which `make e2e-upgrade` moves: folders with all that an image and a chart are made of. */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { latestRelease } from './releases.ts'

const run = promisify(execFile)

/** A checkout of a release, or of what could be one. */
export interface Tree {
  readonly folder: string
  readonly version: string
}

const git = async (root: string, ...args: readonly string[]): Promise<string> =>
  (await run('git', ['-C', root, ...args], { maxBuffer: 64 * 1024 * 1024 })).stdout

const versionOf = (folder: string): string =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version

interface Found {
  readonly version: string
  readonly commit: string
}

/**
 * The release before the version of the checkout: that of the newest tag `v*` in its history, else the latest one that is
 * recorded. `missing` says why there is none, such as a shallow clone.
 */
export async function previousRelease(root: string): Promise<Found | { missing: string }> {
  const own = `v${versionOf(root)}`
  const listed = await git(root, 'tag', '--list', 'v*', '--merged', 'HEAD', '--sort=-v:refname')
  const tag = listed.split('\n').find((each) => /^v\d/.test(each) && each !== own)
  const version = tag?.slice(1) ?? latestRelease.version
  const object = tag ?? latestRelease.commit
  try {
    return {
      version,
      commit: (await git(root, 'rev-parse', '--verify', `${object}^{commit}`)).trim(),
    }
  } catch {
    return {
      missing: `this clone has no commit ${object} of release ${version}: run git fetch --unshallow --tags`,
    }
  }
}

/** Writes the files of a commit to a folder; the repository does not know of it. */
export async function checkOut(
  root: string,
  { commit, version }: Found,
  folder: string,
): Promise<Tree> {
  mkdirSync(folder, { recursive: true })
  const archive = join(folder, '.tar')
  await git(root, 'archive', '--output', archive, commit)
  await run('tar', ['-xf', archive, '-C', folder])
  return { folder, version }
}

/** What a release adds to the one before, for the test. */
export interface Addition {
  /** After `0021-` or `0021-contract-0020-`. */
  readonly name: string
  /** Whether versions without the migration before it are refused. */
  readonly isContract: boolean
  readonly statements: readonly string[]
  /** A text field that both kinds get in their definitions. */
  readonly field?: string
}

/**
 * Copies the checkout as it is, with additions of a release to come and its version in the chart; package.json keeps its own, so
 * that the images of both share the packages.
 */
export async function laterTree(
  root: string,
  folder: string,
  { version = versionOf(root), additions }: { version?: string; additions: readonly Addition[] },
): Promise<Tree> {
  const listed = await git(root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard')
  const parts =
    /^(src|bin|charts|contracts|docs|manifests)\/|^(package(-lock)?\.json|\.npmrc|LICENSE)$/
  for (const path of listed.split('\0').filter((each) => parts.test(each))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(join(root, path), join(folder, path))
  }
  edit(folder, 'charts/x402-stellar/Chart.yaml', /^version: .*/m, `version: ${version}`)
  edit(folder, 'charts/x402-stellar/Chart.yaml', /^appVersion: .*/m, `appVersion: "${version}"`)
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

const MIGRATIONS = 'src/store/migrations/index.ts'

function addMigration(folder: string, { name, isContract, statements }: Addition): void {
  const newest = Number(newestMigrationOf(folder).slice(0, 4))
  const number = (of: number) => String(of).padStart(4, '0')
  const least = isContract ? `contract-${number(newest)}-` : ''
  const full = `${number(newest + 1)}-${least}${name}`
  const file = `src/store/migrations/${full}.ts`
  const source = `import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const up: Migration['up'] = async (db) => {
${statements.map((each) => `  await sql\`${each}\`.execute(db)`).join('\n')}
}

export const migration${newest + 1}: Migration = { up }
`
  writeFileSync(join(folder, file), source)
  edit(folder, MIGRATIONS, /\n}\n*$/, `\n  '${full}': migration${newest + 1},\n}\n`)
  edit(folder, MIGRATIONS, /^/, `import { migration${newest + 1} } from './${full}.ts'\n`)
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
    const path = join(folder, `charts/x402-stellar/files/crds/x402.svc.dev_${kind}.yaml`)
    const text = readFileSync(path, 'utf8')
    const spec = /^ {12}spec:\n.*\n {14}properties:\n/gm
    if (!spec.test(text)) throw new Error(`${path} has no properties of spec`)
    writeFileSync(
      path,
      text.replace(spec, (all) => `${all}                ${field}: { type: string }\n`),
    )
  }
}
