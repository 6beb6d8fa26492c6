import { gzipSync } from 'node:zlib'
import { isoTime } from '../../../platform/core/text/iso-time.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { collect, type ReportScope } from './collect.ts'
import type { Collected } from './collected.ts'
import { KnownSecrets } from './known-secrets.ts'
import { redactObject } from './redact.ts'
import { scrubText } from './scrub-text.ts'
import { type ArchivedFile, tarOf } from './tar.ts'

export interface ReportOptions extends ReportScope {
  /** In milliseconds since 1970. */
  readonly now: number
  /** Version of this program. */
  readonly version: string
}

export interface Report {
  /** `.tar.gz`. */
  readonly archive: Buffer
  readonly paths: readonly string[]
  /** The files that could not be read, and why. */
  readonly missing: readonly { readonly path: string; readonly why: string }[]
}

/** Limits of one file and of all, uncompressed: a person attaches the archive to a mail or an issue. */
const MAX_FILE_CHARACTERS = 2 * 1_024 * 1_024
const MAX_CHARACTERS = 48 * 1_024 * 1_024

/** Reads and redacts. Throws ClusterUnreachable. */
export async function writeReport(cluster: Cluster, options: ReportOptions): Promise<Report> {
  const collected = await collect(cluster, options)
  const known = new KnownSecrets(namesIn(collected))
  // Every object before any text: what is removed from one is removed from all.
  const redacted = collected.map((part) => ({ part, text: textOf(part, known) }))
  const missing = collected.flatMap(({ path, content }) =>
    'why' in content ? [{ path, why: scrubText(content.why) }] : [],
  )
  const { namespace, name } = options.facilitator.metadata
  const about = {
    facilitator: `${namespace}/${name}`,
    at: isoTime(options.now),
    madeBy: `svc ${options.version}`,
    missing,
  }
  const root = `svc-report-${name}`
  const files = [
    { path: `${root}/about.json`, text: jsonText(about) },
    ...redacted.flatMap(({ part, text }) =>
      text === undefined
        ? []
        : [{ path: `${root}/${part.path}`, text: cut(known.removeFrom(text)) }],
    ),
  ]
  const bounded = withinBounds(files)
  const archive = gzipSync(tarOf(bounded, options.now))
  return { archive, paths: bounded.map(({ path }) => path), missing }
}

const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

function textOf({ content, kind }: Collected, known: KnownSecrets): string | undefined {
  if (!('value' in content)) return undefined
  const { value } = content
  if (kind === 'object') return jsonText(redactObject(value, known))
  const lines = String(value).split('\n')
  return kind === 'text'
    ? lines.map((line) => scrubText(line)).join('\n')
    : lines.map((line) => redactLine(line, known)).join('\n')
}

/** Our processes log objects, one a line, where the name of a member says what it holds. */
function redactLine(line: string, known: KnownSecrets): string {
  if (!line.startsWith('{')) return scrubText(line)
  try {
    return JSON.stringify(redactObject(JSON.parse(line), known))
  } catch {
    return scrubText(line)
  }
}

const cut = (text: string): string =>
  text.length <= MAX_FILE_CHARACTERS
    ? text
    : `[the first ${text.length - MAX_FILE_CHARACTERS} characters are left out]\n${text.slice(-MAX_FILE_CHARACTERS)}`

/** The last files are left out once the archive is full; objects come first. */
function withinBounds(files: readonly ArchivedFile[]): readonly ArchivedFile[] {
  let total = 0
  return files.map((file) => {
    total += file.text.length
    return total <= MAX_CHARACTERS ? file : { ...file, text: '[left out: the archive is full]\n' }
  })
}

/** Names of objects and what they refer to: they stay readable, also where a setting has the same text. */
function namesIn(collected: readonly Collected[]): ReadonlySet<string> {
  const names = new Set<string>(['Facilitator', 'ChannelPool', 'stellar:testnet', 'stellar:pubnet'])
  const take = (value: unknown, member: string): void => {
    if (typeof value === 'string' && nameMembers.includes(member)) names.add(value)
    else if (Array.isArray(value)) for (const each of value) take(each, member)
    else if (typeof value === 'object' && value !== null) {
      for (const [name, each] of Object.entries(value)) {
        if (!freeText.includes(name)) take(each, name)
      }
    }
  }
  for (const { content, kind } of collected) {
    if (kind === 'object' && 'value' in content) take(content.value, '')
  }
  return names
}

const nameMembers = [
  'name',
  'namespace',
  'uid',
  'kind',
  'apiVersion',
  'image',
  'reason',
  'type',
  'channelPool',
]
/** Members below which a `name` may be anything. */
const freeText = ['annotations', 'data', 'managedFields']
