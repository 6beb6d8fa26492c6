/** Data that the steps of a release pass on: a file in `dist`, and the outputs of a workflow's step. */
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface ReleaseRecord {
  /** The image with its registry, without tag. */
  readonly image: string
  /** Digest of the image index. */
  readonly digest: string
  /** The digest of each platform's manifest, as in `linux/arm64`. */
  readonly platforms: Readonly<Record<string, string>>
  /** The chart with its registry, without tag. */
  readonly chart?: string
  readonly chartDigest?: string
}

const pathOf = (out: string, version: string): string => join(out, `release-${version}.json`)

export async function readRecord(out: string, version: string): Promise<ReleaseRecord> {
  const path = pathOf(out, version)
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) {
    throw new Error(`${path} is missing. Push the image first: make release-image.`)
  }
  return JSON.parse(text) as ReleaseRecord
}

/** GitHub sets GITHUB_OUTPUT: later steps of the job read what is appended to that file. */
export async function writeRecord(
  out: string,
  version: string,
  record: ReleaseRecord,
): Promise<void> {
  await writeFile(pathOf(out, version), `${JSON.stringify(record, null, 2)}\n`)
  const outputs = process.env['GITHUB_OUTPUT']
  if (!outputs) return
  const { image, digest, chart, chartDigest } = record
  const lines = Object.entries({ image, digest, chart, 'chart-digest': chartDigest })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value}\n`)
  await appendFile(outputs, lines.join(''))
}
