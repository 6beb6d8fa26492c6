import { globSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { areaOf } from '../../../tools/release/areas.ts'
import { withImage } from '../../../tools/release/chart.ts'
import { byArea, changelogSection } from '../../../tools/release/notes.ts'
import { disagreements, parseVersion, usesNoTarball } from '../../../tools/release/versions.ts'

describe('the version of a release', () => {
  test.each([
    ['v1.2.3', '1.2.3'],
    ['0.2.0-rc.1', '0.2.0-rc.1'],
  ])('is %s without the v of a tag', (text, version) => {
    expect(parseVersion(text)).toBe(version)
  })

  test.each(['', '1.2', 'v1.2.3+4', 'v1.2.3;id', 'v1.2.3 ', 'latest'])('is not %j', (text) => {
    expect(() => parseVersion(text)).toThrow('Name a version, such as VERSION=v1.2.3.')
  })
})

describe('the files that state the version', () => {
  const withTarball = [
    'docs/package.md',
    ...globSync('examples/*/{package.json,README.md}').filter((path) => !usesNoTarball.test(path)),
  ]
  const paths = [
    'package.json',
    'package-lock.json',
    'charts/stellar-x402/Chart.yaml',
    'manifests/operator.yaml',
    'docs/install.md',
    ...withTarball,
  ]
  let version: string
  let tree: string

  beforeAll(async () => {
    version = JSON.parse(await readFile('package.json', 'utf8')).version
    tree = await mkdtemp(join(tmpdir(), 'svc-versions-'))
    for (const path of paths) await cp(path, join(tree, path))
    await writeFile(join(tree, 'CHANGELOG.md'), `## [Unreleased]\n\n## [${version}] - 2026-11-22\n`)
  })
  afterAll(() => rm(tree, { recursive: true, force: true }))

  test('agree in this tree', () => {
    expect(disagreements(tree, version)).toEqual([])
  })

  test.each<[string, RegExp, string]>([
    ['package.json', /"version": "/, 'package.json (version) has 9'],
    ['package-lock.json', /"version": "/, 'package-lock.json (version) has 9'],
    ['charts/stellar-x402/Chart.yaml', /^version: /m, 'Chart.yaml (version) has 9'],
    ['charts/stellar-x402/Chart.yaml', /^appVersion: "/m, 'Chart.yaml (appVersion) has 9'],
    [
      'manifests/operator.yaml',
      /stellar-x402:/,
      'manifests/operator.yaml (tag of the image) has 9',
    ],
    ['docs/install.md', /stellar-x402:/, 'docs/install.md (tag of the image) has 9'],
    ...withTarball.map((path): [string, RegExp, string] => [
      path,
      /stellar-x402-(?=\d)/,
      `${path} (name of the tarball) has 9`,
    ]),
    ['CHANGELOG.md', /## \[(?=\d)/, 'CHANGELOG.md (newest section "## [VERSION] - DATE") has 9'],
  ])('do not when %s has another one', async (path, before, sentence) => {
    const text = await readFile(join(tree, path), 'utf8')
    await writeFile(
      join(tree, path),
      text.replace(before, (found) => `${found}9`),
    )
    expect(disagreements(tree, version)).toEqual([expect.stringContaining(sentence)])
    await writeFile(join(tree, path), text)
  })

  test('include an example that depends on no tarball', async () => {
    const path = 'examples/metered-api/package.json'
    const text = await readFile(join(tree, path), 'utf8')
    await writeFile(join(tree, path), '{}')
    const sentence = `${path} (name of the tarball) has none; it should be ${version}.`
    expect(disagreements(tree, version)).toEqual([sentence])
    await writeFile(join(tree, path), text)
  })

  test('include a section of the changelog with a date', () => {
    expect(disagreements(tree, '99.0.0')).toContain(
      `package.json (version) has ${version}; it should be 99.0.0.`,
    )
  })
})

describe('release notes', () => {
  test.each([
    [['src/kubernetes/a.ts', 'test/unit/a.ts', 'test/unit/b.ts'], 'Kubernetes operator and chart'],
    [['src/platform/database/open.ts', 'docs/database.md'], 'Payments'],
    [['src/payments/engine/settle.ts', 'docs/database.md'], 'Payments'],
    [['src/payments/store/upto/x.ts', 'contracts/upto/lib.rs'], 'Metered calls (upto)'],
    [['src/commands/svc.ts'], 'Service, commands and settings'],
    [['docs/faq.md', 'README.md', 'test/a.ts'], 'Documentation'],
    [['.github/workflows/test.yml'], 'Tests and tools'],
    [[], 'Tests and tools'],
  ])('put a commit that changes %j under %s', (files, area) => {
    expect(areaOf(files)).toBe(area)
  })

  test('list commits by area, in the order in which they were made', () => {
    const commit = (id: string, file: string) => ({ id, subject: `Change ${id}`, files: [file] })
    const commits = [commit('c1', 'docs/a.md'), commit('c2', 'src/payments/a.ts')]
    expect(byArea([...commits, commit('c3', 'docs/b.md')])).toBe(
      '### Payments\n\n- Change c2 (c2)\n\n### Documentation\n\n- Change c1 (c1)\n- Change c3 (c3)',
    )
    expect(byArea([])).toBe('No commit.')
  })

  test('begin with the section of the changelog', () => {
    const changelog =
      '# Changelog\n\n## [1.1.0] - D\n\nnew\n\n### Added\n\n- x\n\n## [1.0.0] - D\n\nold\n'
    expect(changelogSection(changelog, '1.1.0')).toBe('new\n\n### Added\n\n- x')
    expect(changelogSection(changelog, '1.0.0')).toBe('old')
    expect(changelogSection(changelog, '2.0.0')).toBeUndefined()
  })
})

describe('the values of a released chart', () => {
  test('name the image, and keep every comment', async () => {
    const values = await readFile('charts/stellar-x402/values.yaml', 'utf8')
    const changed = withImage(values, { repository: 'registry.example/svc', digest: 'sha256:1' })
    const added = changed.split('\n').filter((line, at) => line !== values.split('\n')[at])
    expect(added).toEqual(['  repository: "registry.example/svc"', '  digest: "sha256:1"'])
  })

  test('stay as they are without an image, and must have its keys', () => {
    expect(withImage('a: 1\n', { repository: undefined, digest: undefined })).toBe('a: 1\n')
    expect(() => withImage('a: 1\n', { repository: 'x', digest: undefined })).toThrow(
      'values.yaml of the chart has no image.repository.',
    )
  })
})
