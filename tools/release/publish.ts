/** Pushes a release to a registry. A tag comes last, so that a tagged image has its signature and its SBOM. */
import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { packageChart, pushChart } from './chart.ts'
import { mergeArchives } from './oci-layout.ts'
import { type ReleaseRecord, readRecord, writeRecord } from './record.ts'

const run = promisify(execFile)

export interface Release {
  readonly tree: string
  readonly version: string
  /** The commit that the images must be made from; any when undefined. */
  readonly revision?: string | undefined
  /** The folder with the archives of `make image`, and for what a release writes. */
  readonly out: string
}

/** Merges the archives of all architectures and pushes the index by digest, without a tag. */
export async function pushImage(
  { version, revision, out }: Release,
  crane: string,
  repository: string,
): Promise<ReleaseRecord> {
  const image = repositoryName(repository)
  const archives = await archivesOf(out, version)
  const layout = join(out, `stellar-x402-${version}.oci`)
  const { digest, platforms } = await mergeArchives(archives, layout, { version, revision })
  await run(crane, ['push', '--index', layout, `${image}@${digest}`])
  const record = { image, digest, platforms }
  await writeRecord(out, version, record)
  return record
}

/** Packages the chart with the digest of the pushed image, and pushes it. */
export async function publishChart(release: Release, helm: string): Promise<ReleaseRecord> {
  const { tree, version, out } = release
  const before = await readRecord(out, version)
  const { image, digest } = before
  const path = await packageChart(helm, { tree, version, image, digest, out })
  const record = { ...before, ...(await pushChart(helm, path, image)) }
  await writeRecord(out, version, record)
  return record
}

export async function tagImage({ version, out }: Release, crane: string): Promise<string> {
  const { image, digest } = await readRecord(out, version)
  await run(crane, ['tag', `${image}@${digest}`, version])
  return `${image}:${version}`
}

export interface Login {
  readonly host: string
  readonly user: string
  readonly password: string | undefined
}

/** Writes the login to Docker's configuration, which helm and cosign read too. No command line has the password. */
export async function logIn(crane: string, { host, user, password }: Login): Promise<void> {
  if (user === '' || !password) {
    throw new Error('REGISTRY_USER or REGISTRY_PASSWORD is missing. Set both in the environment.')
  }
  const login = run(crane, ['auth', 'login', host, '--username', user, '--password-stdin'])
  login.child.stdin?.end(password)
  await login
}

/** Names in a registry have no capital letters; those of owners and repositories on GitHub may. */
export function repositoryName(text: string | undefined): string {
  if (!text?.includes('/')) {
    throw new Error('REPOSITORY is missing. Name one, such as REPOSITORY=registry.example/svc.')
  }
  return text.toLowerCase()
}

async function archivesOf(out: string, version: string): Promise<readonly string[]> {
  const prefix = `stellar-x402-${version}-`
  const names = await readdir(out).catch((): string[] => [])
  const archives = names.filter((name) => name.startsWith(prefix) && name.endsWith('.tar'))
  if (archives.length === 0) {
    throw new Error(`${out} has no ${prefix}*.tar. Build the image first: make image.`)
  }
  return archives.toSorted().map((name) => join(out, name))
}
