import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { entries } from '../../../tools/package/entries.ts'
import { readSource } from '../../support/source-facts.ts'

type Entry = keyof typeof entries

const ofStore = ['kysely', 'pg']
const ofLedger = ['@stellar/stellar-sdk', 'zod']

/** The packages that a program loads by importing an entry point: those of its imports, at the start or later. */
const loads: Readonly<Record<Entry, readonly string[]>> = {
  './bazaar': [...ofLedger, 'ajv', 'ipaddr.js'],
  './facilitator': [
    ...ofStore,
    ...ofLedger,
    '@electric-sql/pglite',
    '@whatwg-node/disposablestack',
    'fastify',
    'pino',
    'prom-client',
  ],
  './kube': ['@kubernetes/client-node'],
  './localnet': ['@stellar/stellar-sdk', '@whatwg-node/disposablestack', 'selfsigned', 'zod'],
  './upto': [...ofLedger, '@x402/core', '@x402/stellar'],
  './upto/client': [...ofLedger, '@x402/stellar'],
  './upto/server': ['@x402/core', '@x402/stellar', 'zod'],
}

/** The packages that a file needs at run time, with those of its imports and its threads: type-only imports are none. */
function vendorsOf(source: string): string[] {
  const files = new Set([source])
  const vendors = new Set<string>()
  for (const file of files) {
    const code = runtimeCode(file)
    for (const [, thread = ''] of code.matchAll(/new URL\('(\.[^']+\.ts)'/g)) {
      files.add(normalize(join(dirname(file), thread)))
    }
    for (const { what } of readSource(file, code).imports) {
      if (what.startsWith('.')) files.add(normalize(join(dirname(file), what)))
      else if (!what.startsWith('node:')) vendors.add(packageOf(what))
    }
  }
  return [...vendors].toSorted()
}

const packageOf = (specifier: string): string =>
  specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')

const typeOnly = /^(import|export) type [^;]*? from '[^']+'$/gms

const runtimeCode = (file: string): string =>
  file.endsWith('.ts') ? readFileSync(file, 'utf8').replace(typeOnly, '') : ''

test.each(Object.entries(entries) as [Entry, string][])(
  '%s loads its own libraries and no others',
  (entry, source) => {
    expect(vendorsOf(source)).toEqual(loads[entry].toSorted())
  },
)
