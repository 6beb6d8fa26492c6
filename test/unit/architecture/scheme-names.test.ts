import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { schemeNames } from '../../../src/payments/protocol/schemes.ts'
import { schemesNamed } from '../../../src/payments/schemes/schemes.ts'
import { factsOf, readSource, type SourceFacts } from '../../support/source-facts.ts'

/** The files below `src` that name a scheme, and why. A folder stands for all below it. A place that names none must go. */
const places: Readonly<Record<string, string>> = {
  'payments/schemes': 'what each scheme does',
  'payments/protocol/schemes.ts': 'the list',
  'payments/protocol/reasons.ts': 'codes of any scheme that have the name of the first',
  'payments/checks': 'codes of checks of any scheme, likewise',
  'payments/causes': 'codes of causes of any scheme, likewise',
  'payments/api/start-page/page.ts': 'the example for sellers',
  'diagnosis/facts': 'what is known of the settlement contract of upto, and its alias in /health',
  'payments/health/upto': "the health of upto's contract",
  'explorer/classify': 'how its payments look on the ledger',
  'buying/client': 'types that are made from the OpenAPI documents',
  'buying/signers/exact-scheme.ts':
    'pays by exact for contract accounts, which the stock client cannot',
  'buying/pay/test-payment.ts': 'pays with the stock client of exact',
  'demo/seller': 'a seller, which names what it takes',
  localnet: 'the contract of upto that a localnet starts with',
  kubernetes: 'the member of the resources that configures upto',
  settings: 'the member of the configuration that upto has',
  'commands/admin': 'svc upto, and the line of svc status about its contract',
}

const codes = new RegExp(`^(?:invalid|settle)_(?:${schemeNames.join('|')})_`)

const namesScheme = (text: string): boolean =>
  codes.test(text) || schemeNames.some((name) => text === name || text.includes(`'${name}'`))

const placeOf = (file: string): string | undefined =>
  Object.keys(places).find((path) => file === `src/${path}` || file.startsWith(`src/${path}/`))

const namedIn = (file: string, { texts }: SourceFacts): string[] =>
  texts.filter(({ what }) => namesScheme(what)).map(({ what, line }) => `${file}:${line} ${what}`)

describe('the names of schemes', () => {
  // To parse a file takes much longer than to read it.
  const mayName = new RegExp(schemeNames.join('|'))
  const sources = globSync('src/**/*.ts')
    .filter((file) => mayName.test(readFileSync(file, 'utf8')))
    .map((file) => [file, factsOf(file)] as const)

  test('are in no file but the places of the table: others read payments/protocol/schemes.ts', () => {
    const named = sources.filter(([file]) => placeOf(file) === undefined)
    expect(named.flatMap(([file, facts]) => namedIn(file, facts))).toEqual([])
  })

  test.each(Object.keys(places))('are in %s', (place) => {
    const within = sources.filter(([file]) => placeOf(file) === place)
    expect(within.flatMap(([file, facts]) => namedIn(file, facts))).not.toEqual([])
  })

  test.each(schemeNames)('have a scheme of the name %s', (name) => {
    expect(schemesNamed(name).map((scheme) => scheme.name)).toContain(name)
  })

  test.each([
    "const scheme = 'upto'",
    "type Scheme = 'exact' | 'other'",
    'const code = `settle_exact_stellar_payer_paused`',
    "const query = sql`select from payments where scheme = 'exact'`",
  ])('are found in: %s', (code) => {
    expect(namedIn('src/planted.ts', readSource('src/planted.ts', code))).toHaveLength(1)
  })

  test.each(['// exact', "import { upto } from './upto.ts'", "const text = 'an exact amount'"])(
    'are not found in: %s',
    (code) => {
      expect(namedIn('src/planted.ts', readSource('src/planted.ts', code))).toEqual([])
    },
  )
})
