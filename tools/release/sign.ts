/** Signatures and attestations by cosign, stored in the registry beside what they sign. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ReleaseRecord } from './record.ts'

const run = promisify(execFile)

/** A key pair on this machine signs without a transparency log; without it the identity of the workflow signs. */
export type Signer = { readonly keyPath: string } | 'workflow'

/** The required signer: the owner of a public key, or a workflow whose identity matches an expression. */
export type ExpectedSigner =
  | { readonly publicKeyPath: string }
  | { readonly identity: string; readonly issuer: string }

export interface SigningOptions {
  readonly cosign: string
  readonly record: ReleaseRecord
  readonly version: string
  /** The folder with the SBOMs. */
  readonly out: string
}

/** Signs the image index, the images below it and the chart, and attests each image's SBOM. */
export async function signRelease(options: SigningOptions, signer: Signer): Promise<void> {
  const flags =
    signer === 'workflow'
      ? []
      : ['--key', signer.keyPath, '--use-signing-config=false', '--tlog-upload=false']
  const { cosign, record } = options
  // With --recursive a signature of the index comes with one of each image that it names.
  await run(cosign, ['sign', '--yes', '--recursive', ...flags, imageOf(record)])
  if (record.chart !== undefined) await run(cosign, ['sign', '--yes', ...flags, chartOf(record)])
  for (const { sbom, image } of sbomsOf(options)) {
    const predicate = ['--type', 'spdxjson', '--predicate', sbom]
    await run(cosign, ['attest', '--yes', ...flags, ...predicate, image])
  }
}

/** @throws Error with cosign's words when a signature or an SBOM is missing or of another signer */
export async function verifyRelease(
  options: SigningOptions,
  expected: ExpectedSigner,
): Promise<readonly string[]> {
  const { cosign, record } = options
  const flags =
    'publicKeyPath' in expected
      ? ['--key', expected.publicKeyPath, '--insecure-ignore-tlog=true']
      : [
          '--certificate-identity-regexp',
          expected.identity,
          '--certificate-oidc-issuer',
          expected.issuer,
        ]
  const signed = [imageOf(record), ...(record.chart === undefined ? [] : [chartOf(record)])]
  for (const each of signed) await run(cosign, ['verify', ...flags, each])
  const images = Object.values(record.platforms).map((digest) => `${record.image}@${digest}`)
  for (const image of images) {
    await run(cosign, ['verify-attestation', '--type', 'spdxjson', ...flags, image], {
      maxBuffer: 64 * 1024 * 1024,
    })
  }
  return [...signed, ...images]
}

const imageOf = ({ image, digest }: ReleaseRecord): string => `${image}@${digest}`
const chartOf = ({ chart, chartDigest }: ReleaseRecord): string => `${chart}@${chartDigest}`

function sbomsOf({ record, version, out }: SigningOptions) {
  return Object.entries(record.platforms).map(([platform, digest]) => ({
    sbom: sbomPath(out, version, platform),
    image: `${record.image}@${digest}`,
  }))
}

/** `make image` names its files as Node names the architecture. */
const nodeNames: Readonly<Record<string, string>> = { 'linux/amd64': 'x64', 'linux/arm64': 'arm64' }

function sbomPath(out: string, version: string, platform: string): string {
  const path = join(out, `stellar-x402-${version}-${nodeNames[platform]}.spdx.json`)
  if (!existsSync(path)) throw new Error(`${path} is missing. Build the image first: make image.`)
  return path
}
