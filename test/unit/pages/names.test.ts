import { describe, expect, test } from 'vitest'
import { warningCodes } from '../../../src/diagnosis/problems/names.ts'
import { ledgerFailures } from '../../../src/payments/causes/ledger-failure.ts'
import { reasons } from '../../../src/payments/protocol/reasons.ts'
import { faults } from '../../../src/platform/core/errors/faults.ts'
import { pages, readPage } from './markdown.ts'

/** Names in pages: settings, codes, metrics, make targets. A renamed one must not stay in a page. */

const matches = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([, name = '']) => name)
const unknownOf = (names: readonly string[], known: ReadonlySet<string>): readonly string[] =>
  [...new Set(names)].filter((name) => !known.has(name))

const newcomersPages = [
  'README.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  'docs/production.md',
  'docs/faq.md',
  'docs/comparison.md',
]

describe.each(newcomersPages)('%s', (path) => {
  const page = readPage(path)

  test('names only settings that exist', () => {
    const network = matches(readPage('docs/configuration.md'), /^\| `([A-Z][A-Z0-9_]+)`/gm)
    const known = new Set([
      ...network,
      ...network.flatMap((name) => [`TESTNET_${name}`, `PUBNET_${name}`]),
      ...network
        .flatMap((name) => [name, `TESTNET_${name}`, `PUBNET_${name}`])
        .map((name) => `${name}_FILE`),
      'NODE_OPTIONS',
      'NODE_EXTRA_CA_CERTS',
      // A constant of src/platform/database, and variables of the targets of a release.
      'LEAST_MIGRATION',
      'REGISTRY_USER',
      'REGISTRY_PASSWORD',
    ])
    const named = matches(page, /(?<![\w.])([A-Z]{2,}_[A-Z0-9_]+)\b/g)
    expect(unknownOf(named, known)).toEqual([])
  })

  test('names only codes that exist', () => {
    const known = new Set([
      ...Object.keys({ ...reasons, ...ledgerFailures, ...faults }),
      ...warningCodes,
    ])
    const named = matches(page, /`((?:invalid|settle|settlement|unexpected|insufficient)_\w+)`/g)
    expect(unknownOf(named, known)).toEqual([])
  })
})

test('pages name only metrics that exist', () => {
  const known = readPage('docs/metrics.md')
  const named = pages.flatMap((path) => matches(readPage(path), /`(svc_[a-z_]*[a-z])`/g))
  const missing = [...new Set(named)].filter((name) => !known.includes(`\`${name}\``))
  expect(missing).toEqual([])
})

test('pages name only make targets that exist', () => {
  const known = new Set(matches(readPage('Makefile'), /^([a-z][a-z0-9-]*):/gm))
  const named = pages.flatMap((path) => matches(readPage(path), /(?:`|^ *)make ([a-z0-9-]+)/gm))
  expect(named.length).toBeGreaterThan(20)
  expect(unknownOf(named, known)).toEqual([])
})
