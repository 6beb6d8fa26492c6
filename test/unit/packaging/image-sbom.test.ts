import { describe, expect, test } from 'vitest'
import { spdxOf } from '../../../tools/image/spdx.ts'

const digest = `sha256:${'ab'.repeat(32)}`
const contents = {
  name: 'registry.example/stellar-x402:1.2.3',
  version: '1.2.3',
  created: '2026-01-02T03:04:05Z',
  digest,
  debian: [
    {
      name: 'libstdc++6',
      version: '12.2.0-14+deb12u1',
      architecture: 'amd64',
      sha256: 'cd'.repeat(32),
      url: 'http://packages.example/libstdc++6.deb',
      control: '',
      root: '',
    },
  ],
  node: { version: '24.21.0', integrity: `sha512-${Buffer.alloc(64).toString('base64')}` },
  libraries: [
    { path: 'node_modules/@a/b', name: '@a/b', version: '1.0.0', license: 'MIT' },
    { path: 'node_modules/c/node_modules/@a/b', name: '@a/b', version: '2.0.0' },
  ],
}
const document = spdxOf(contents)

describe('the software bill of materials', () => {
  test('has every member that the schema of SPDX 2.3 requires', () => {
    expect(document).toMatchObject({
      spdxVersion: 'SPDX-2.3',
      dataLicense: 'CC0-1.0',
      SPDXID: 'SPDXRef-DOCUMENT',
      name: contents.name,
      creationInfo: { created: contents.created, creators: [expect.stringMatching(/^Tool: /)] },
    })
    expect(document.documentNamespace).toMatch(/^https:\/\/[^#]+$/)
    for (const each of document.packages) {
      expect(each.SPDXID).toMatch(/^SPDXRef-[A-Za-z0-9.-]+$/)
      expect(each.name).not.toBe('')
      expect(each.downloadLocation).not.toBe('')
    }
  })

  test('gives each package an id of its own, contained in the image', () => {
    const ids = document.packages.map(({ SPDXID }) => SPDXID)
    expect(new Set(ids).size).toBe(ids.length)
    const contained = document.relationships.filter((each) => each.relationshipType === 'CONTAINS')
    expect(contained.map((each) => each.relatedSpdxElement)).toEqual(ids.slice(1))
    expect(document.packages.map(({ name, versionInfo }) => `${name} ${versionInfo}`)).toEqual([
      'stellar-x402 1.2.3',
      'libstdc++6 12.2.0-14+deb12u1',
      'node 24.21.0',
      '@a/b 1.0.0',
      '@a/b 2.0.0',
    ])
  })

  test('is the same for the same contents', () => {
    expect(JSON.stringify(spdxOf(contents))).toBe(JSON.stringify(document))
  })
})
