/** Release notes: the section of the changelog, and the commits since the release before, by area. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { areaOf, areaTitles } from './areas.ts'

const run = promisify(execFile)

export interface Commit {
  readonly id: string
  readonly subject: string
  readonly files: readonly string[]
}

export interface NotesRange {
  readonly tree: string
  /** A commit or tag; the tag before `to` when undefined, and the first commit without such a tag. */
  readonly from: string | undefined
  readonly to: string
}

/** Markdown. Without a section of the version in the changelog, the commits alone. */
export async function releaseNotes(range: NotesRange, version?: string): Promise<string> {
  const changelog = await readFile(join(range.tree, 'CHANGELOG.md'), 'utf8')
  const section = version === undefined ? undefined : changelogSection(changelog, version)
  const { from, commits } = await commitsOf(range)
  const heading = from === undefined ? '## Commits' : `## Commits since ${from}`
  return [...(section ? [section, heading] : [heading]), byArea(commits)].join('\n\n')
}

/** The text below the heading of the version; undefined without one. */
export function changelogSection(changelog: string, version: string): string | undefined {
  const sections = changelog.split(/^(?=## \[)/m)
  const section = sections.find((each) => each.startsWith(`## [${version}]`))
  return section?.split('\n').slice(1).join('\n').trim()
}

/** Headings in a fixed order; below each, the commits in the order in which they were made. */
export function byArea(commits: readonly Commit[]): string {
  const groups = Map.groupBy(commits, ({ files }) => areaOf(files))
  const lines = areaTitles.flatMap((title) => {
    const inIt = groups.get(title)
    if (!inIt) return []
    return [`### ${title}`, inIt.map(({ id, subject }) => `- ${subject} (${id})`).join('\n')]
  })
  return lines.length === 0 ? 'No commit.' : lines.join('\n\n')
}

async function commitsOf({ tree, from, to }: NotesRange) {
  const git = async (...args: readonly string[]): Promise<string> =>
    (await run('git', [...args], { cwd: tree, maxBuffer: 64 * 1024 * 1024 })).stdout
  const tagBefore = () => git('describe', '--tags', '--abbrev=0', `${to}^`).catch(() => '')
  const start = (from ?? (await tagBefore()).trim()) || undefined
  const range = start === undefined ? to : `${start}..${to}`
  const log = await git(
    'log',
    '--reverse',
    '--no-merges',
    '--name-only',
    '--format=%x1e%h%x1f%s%x1f',
    range,
  )
  return { from: start, commits: parseLog(log) }
}

const parseLog = (log: string): readonly Commit[] =>
  log
    .split('\x1e')
    .slice(1)
    .map((record) => {
      const [id = '', subject = '', files = ''] = record.split('\x1f')
      return { id, subject, files: files.split('\n').filter((file) => file !== '') }
    })
