import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { entries } from '../../../tools/package/entries.ts'
import { factsOf } from '../../support/source-facts.ts'

type Entry = keyof typeof entries

const ofStore = ['kysely', 'pg']
const ofLedger = ['@stellar/stellar-sdk', 'zod']

/** The packages that a program loads by importing an entry point: those of its imports, at the start or later. */
const loads: Readonly<Record<Entry, readonly string[]>> = {
  './bazaar': [...ofLedger, 'ajv', 'ipaddr.js'],
  './accounts': [...ofLedger, '@x402/stellar'],
  './client': [],
  './delivery': ['@stellar/stellar-sdk', '@x402/core'],
  './facilitator': [
    ...ofStore,
    ...ofLedger,
    '@electric-sql/pglite',
    '@whatwg-node/disposablestack',
    'fastify',
    'ipaddr.js',
    'koffi',
    'pino',
    'prom-client',
    'undici',
  ],
  './kube': ['@kubernetes/client-node', 'js-yaml'],
  './localnet': ['@stellar/stellar-sdk', '@whatwg-node/disposablestack', 'selfsigned', 'zod'],
  './receipts': ['@stellar/stellar-sdk'],
  './mcp/server': [...ofLedger, '@x402/core'],
  './upto': [...ofLedger, '@x402/core', '@x402/stellar'],
  './upto/client': [...ofLedger, '@x402/stellar'],
  './upto/server': ['@x402/core', '@x402/stellar', 'zod'],
}

/** What a file imports at run time, with its imports and its threads, files aside: type-only imports are none. */
function importsOf(source: string): string[] {
  const files = new Set([source])
  const found = new Set<string>()
  for (const file of files) {
    if (!file.endsWith('.ts')) continue
    for (const [, thread = ''] of readFileSync(file, 'utf8').matchAll(
      /new URL\('(\.[^']+\.ts)'/g,
    )) {
      files.add(normalize(join(dirname(file), thread)))
    }
    for (const { what, isTypeOnly } of factsOf(file).imports) {
      if (isTypeOnly) continue
      if (what.startsWith('.')) files.add(normalize(join(dirname(file), what)))
      else found.add(what.startsWith('node:') ? what : packageOf(what))
    }
  }
  return [...found].toSorted()
}

const packageOf = (specifier: string): string =>
  specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')

test.each(Object.entries(entries) as [Entry, string][])(
  '%s loads its own libraries and no others',
  (entry, source) => {
    const vendors = importsOf(source).filter((each) => !each.startsWith('node:'))
    expect(vendors).toEqual(loads[entry].toSorted())
  },
)

test('./client imports nothing of Node either, so that it runs in a browser', () => {
  expect(importsOf(entries['./client'])).toEqual([])
  expect(importsOf(entries['./localnet'])).toContain('node:http')
})
