import type { DebianPackage } from './debian.ts'
import type { Library } from './libraries.ts'
import type { NodeBinary } from './node-binary.ts'

/** The contents of the image, by package. */
export interface Contents {
  readonly name: string
  readonly version: string
  /** RFC 3339. */
  readonly created: string
  /** The digest of the image's manifest. */
  readonly digest: string
  readonly debian: readonly DebianPackage[]
  readonly node: Pick<NodeBinary, 'version' | 'integrity'>
  readonly libraries: readonly Library[]
}

const NOT_STATED = 'NOASSERTION'

/**
 * The software bill of materials: SPDX 2.3 in JSON (https://spdx.github.io/spdx-spec/v2.3/). The same contents make the
 * same document.
 */
export function spdxOf(contents: Contents) {
  const { name, version, created, digest } = contents
  const image = part(`stellar-x402`, version, {
    id: 'SPDXRef-image',
    licence: 'Apache-2.0',
    purl: `pkg:oci/stellar-x402@${digest}`,
    sha256: digest.replace('sha256:', ''),
  })
  const parts = [...contents.debian.map(debianPart), nodePart(contents.node)]
  const all = [...parts, ...contents.libraries.map(libraryPart)]
  return {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name,
    documentNamespace: `https://spdx.org/spdxdocs/stellar-x402-${version}-${digest.replace('sha256:', '')}`,
    creationInfo: { created, creators: ['Tool: stellar-x402-tools-image'] },
    documentDescribes: [image.SPDXID],
    packages: [image, ...all],
    relationships: [
      relation('SPDXRef-DOCUMENT', 'DESCRIBES', image.SPDXID),
      ...all.map(({ SPDXID }) => relation(image.SPDXID, 'CONTAINS', SPDXID)),
    ],
  }
}

interface Facts {
  readonly id: string
  readonly licence: string | undefined
  readonly purl: string
  readonly sha256?: string | undefined
  readonly sha512?: string | undefined
  readonly url?: string
}

function part(name: string, versionInfo: string, { id, licence, purl, url, ...sums }: Facts) {
  const checksums = [
    ...(sums.sha256 ? [{ algorithm: 'SHA256', checksumValue: sums.sha256 }] : []),
    ...(sums.sha512 ? [{ algorithm: 'SHA512', checksumValue: sums.sha512 }] : []),
  ]
  return {
    SPDXID: id,
    name,
    versionInfo,
    downloadLocation: url ?? NOT_STATED,
    filesAnalyzed: false,
    licenseConcluded: NOT_STATED,
    licenseDeclared: licence ?? NOT_STATED,
    copyrightText: NOT_STATED,
    ...(checksums.length > 0 && { checksums }),
    externalRefs: [
      { referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: purl },
    ],
  }
}

/** Debian names licences in prose; only the notices themselves are exact, and the image holds them. */
const debianPart = ({ name, version, architecture, sha256, url }: DebianPackage) =>
  part(name, version, {
    id: `SPDXRef-deb-${idOf(name)}`,
    licence: undefined,
    purl: `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}`,
    sha256,
    url,
  })

const nodePart = ({ version, integrity }: Pick<NodeBinary, 'version' | 'integrity'>) =>
  part('node', version, {
    id: 'SPDXRef-node',
    licence: 'MIT',
    purl: `pkg:generic/node@${version}`,
    sha512: sha512Of(integrity),
  })

const libraryPart = ({ path, name, version, integrity, license }: Library) =>
  part(name, version, {
    id: `SPDXRef-npm-${idOf(path.replace('node_modules/', ''))}`,
    licence: isExpression(license) ? license : undefined,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    sha512: sha512Of(integrity),
  })

/** npm writes sums in base64, SPDX in hexadecimal digits. */
const sha512Of = (integrity: string | undefined): string | undefined =>
  integrity?.startsWith('sha512-')
    ? Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex')
    : undefined

/** Letters, digits, dots and hyphens are all that an SPDX id may have. */
const idOf = (name: string): string => name.replaceAll(/[^A-Za-z0-9.-]+/g, '-').replace(/^-/, '')

const isExpression = (license: string | undefined): license is string =>
  license !== undefined && /^[\w.+() -]+$/.test(license) && !/see license|unlicensed/i.test(license)

const relation = (spdxElementId: string, relationshipType: string, relatedSpdxElement: string) => ({
  spdxElementId,
  relationshipType,
  relatedSpdxElement,
})
