/** The version of a release, and the files that have to state it. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from 'js-yaml'

/** MAJOR.MINOR.PATCH with an optional pre-release, as in https://semver.org; a tag has a `v` before it. */
const VERSION = /^v?(\d+\.\d+\.\d+(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?)$/

/**
 * The version without the `v` of a tag.
 * @throws Error when the text is no version
 */
export function parseVersion(text: string | undefined): string {
  const [, version] = VERSION.exec(text ?? '') ?? []
  if (version === undefined) {
    throw new Error(
      `VERSION is ${text ? `"${text}"` : 'missing'}. Name a version, such as VERSION=v1.2.3.`,
    )
  }
  return version
}

/** The example that installs nothing of this project: a signing service must not trust what it guards against. */
export const usesNoTarball = /^examples\/signer-sidecar\//

interface Statement {
  readonly file: string
  /** The version that the file states; undefined when it states none. */
  readonly found: string | undefined
  readonly expected: string
}

/** One sentence for each file of the tree that does not agree with the version. */
export const disagreements = (tree: string, version: string): readonly string[] =>
  statements(tree, version)
    .filter(({ found, expected }) => found !== expected)
    .map(({ file, found, expected }) => `${file} has ${found ?? 'none'}; it should be ${expected}.`)

function statements(tree: string, version: string): readonly Statement[] {
  const read = (path: string): string =>
    existsSync(join(tree, path)) ? readFileSync(join(tree, path), 'utf8') : ''
  const json = (path: string) => Object(JSON.parse(read(path) || '{}'))
  const lock = json('package-lock.json')
  const chart = Object(load(read('charts/stellar-x402/Chart.yaml')))
  const [, newest] = /^## \[(\d[^\]]*)\] - \d{4}-\d\d-\d\d$/m.exec(read('CHANGELOG.md')) ?? []
  const images = (path: string): readonly Statement[] =>
    [...read(path).matchAll(/stellar-x402:([\w.-]*\w)/g)].map(([, found]) => ({
      file: `${path} (tag of the image)`,
      found,
      expected: version,
    }))
  const tarballs = (path: string): readonly Statement[] => {
    const names = [...read(path).matchAll(/stellar-x402-(\d[\w.-]*)\.tgz/g)]
    return (names.length > 0 ? names : [[]]).map(([, found]) => ({
      file: `${path} (name of the tarball)`,
      found,
      expected: version,
    }))
  }
  const withTarball = globSync('examples/*/{package.json,README.md}', { cwd: tree })
    .filter((path) => !usesNoTarball.test(path))
    .toSorted()
  return [
    { file: 'package.json (version)', found: json('package.json').version, expected: version },
    { file: 'package-lock.json (version)', found: lock.version, expected: version },
    {
      file: 'package-lock.json (packages[""].version)',
      found: Object(lock.packages)['']?.version,
      expected: version,
    },
    { file: 'Chart.yaml (version)', found: chart.version, expected: version },
    { file: 'Chart.yaml (appVersion)', found: chart.appVersion, expected: version },
    {
      file: 'CHANGELOG.md (newest section "## [VERSION] - DATE")',
      found: newest,
      expected: version,
    },
    ...images('manifests/operator.yaml'),
    ...images('docs/install.md'),
    ...['docs/package.md', ...withTarball].flatMap(tarballs),
  ]
}
