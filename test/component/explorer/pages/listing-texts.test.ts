import { execFileSync } from 'node:child_process'
import { stripTypeScriptTypes } from 'node:module'
import { describe, expect, it } from 'vitest'
import { exampleCall } from '../../../../src/explorer/web/views/listing/pay/call.ts'
import { purchaseOf } from '../../../../src/explorer/web/views/listing/pay/purchase.ts'
import { callSnippets } from '../../../../src/explorer/web/views/listing/pay/snippets.ts'
import { toolSnippets } from '../../../../src/explorer/web/views/listing/pay/tool-snippets.ts'
import { usdcContracts } from '../../../../src/platform/core/caip2.ts'
import { readMcpToolUrl } from '../../../../src/platform/core/mcp-tool-url.ts'
import { shellWord } from '../../../../src/platform/core/text/shell-word.ts'
import { hostileTexts } from '../../../support/explorer/payment-records.ts'

const network = 'stellar:testnet'
const option = (changes: object = {}) => ({
  ...{ scheme: 'exact', network, asset: usdcContracts[network], payTo: 'G', amount: '100000' },
  maxTimeoutSeconds: 60,
  ...changes,
})
const other = 'CAAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQC526'

/** A listing as its page gets it, as far as it concerns paying. */
const listing = (
  changes: { resource?: string; input?: object; accepts?: object[]; options?: object[] } = {},
): never => {
  const { resource = 'https://api.example/weather', input = {}, accepts = [option()] } = changes
  const method = (input as { method?: string }).method ?? 'GET'
  return {
    resource,
    accepts,
    type: 'http',
    svc: { method, options: changes.options ?? accepts.map(() => ({})) },
    extensions: { bazaar: { info: { input: { type: 'http', method, ...input } }, schema: {} } },
  } as never
}

describe('the example call', () => {
  it('has the parameters of the declaration in its path and its query', () => {
    const call = exampleCall(
      listing({
        resource: 'https://api.example/weather/:city/:day',
        input: { pathParams: { city: 'São Paulo' }, queryParams: { units: 'c', at: [1, 2] } },
      }),
    )
    expect(call).toEqual({
      method: 'GET',
      url: 'https://api.example/weather/S%C3%A3o%20Paulo/:day?units=c&at=1&at=2',
      open: ['day'],
    })
  })

  it('has the body of the declaration', () => {
    const input = { method: 'POST', bodyType: 'json', body: { text: 'žluťoučký' } }
    expect(exampleCall(listing({ input }))?.body).toEqual({
      text: '{"text":"\\u017elu\\u0165ou\\u010dk\\u00fd"}',
      type: 'application/json',
    })
  })

  it('is none for what HTTP cannot call', () => {
    expect(exampleCall(listing({ resource: 'mcp://tools.example' }))).toBeUndefined()
  })
})

describe('the option that the texts take', () => {
  it('is the cheapest in USDC', () => {
    const accepts = [option({ amount: '300000' }), option({ asset: other, amount: '1' }), option()]
    expect(purchaseOf(listing({ accepts, options: [{}, { decimals: 7 }, {}] }))).toMatchObject({
      isUsdc: true,
      max: '0.01',
      maxUnits: '100000',
    })
  })

  it('is none while the decimals of the asset are unknown', () => {
    expect(purchaseOf(listing({ accepts: [option({ asset: other })] }))).toBeUndefined()
  })
})

/** The words that a shell gives to `svc`. */
const wordsOf = (command = ''): string[] =>
  execFileSync('bash', ['-c', `svc() { printf '%s\\0' "$@"; }\n${command}`], {
    encoding: 'utf8',
  }).split('\0')

describe('the texts', () => {
  const textsOf = (value: unknown) => {
    const one = listing({
      input: { method: 'POST', bodyType: 'json', body: { value }, queryParams: { value } },
    })
    return callSnippets(exampleCall(one)!, purchaseOf(one)!, 'https://facilitator.example')
  }
  const texts = [
    ...hostileTexts,
    "it's",
    '$(touch x) `touch x` "\\',
    '\u2028\ud800',
    '*/ $' + '{x}',
  ]

  it.each(texts.map((text) => [text]))('have %j as a value, and as nothing else', (text) => {
    const by = Object.fromEntries(textsOf(text).map(({ id, code }) => [id, code]))
    for (const code of Object.values(by)) expect(code).toMatch(/^[\x20-\x7e\n]*$/)
    const words = wordsOf(by['pay-svc'])
    expect(JSON.parse(words[words.indexOf('--data') + 1]!)).toEqual({ value: text })
    expect(JSON.parse(by['pay-mcp-arguments']!)).toMatchObject({
      body: words[words.indexOf('--data') + 1],
      url: words[1],
    })
    expect(() => stripTypeScriptTypes(by['pay-typescript']!)).not.toThrow()
  })

  it.each(texts.map((text) => [text]))(
    'of a tool have %j as a value, and as nothing else',
    (text) => {
      const tool = { url: 'https://api.example/mcp', name: text, arguments: { value: text } }
      const snippets = toolSnippets(tool, purchaseOf(listing())!, 'https://facilitator.example')
      const by = Object.fromEntries(snippets.map(({ id, code }) => [id, code]))
      for (const code of Object.values(by)) expect(code).toMatch(/^[\x20-\x7e\n]*$/)
      const words = wordsOf(by['pay-svc'])
      expect(words.slice(0, 2)).toEqual(['pay', expect.stringMatching(/^mcp\+https:/)])
      expect(readMcpToolUrl(words[1]!)).toMatchObject({ kind: 'http', tool: text.toWellFormed() })
      expect(JSON.parse(words[words.indexOf('--data') + 1]!)).toEqual({ value: text })
      const called = { url: words[1], arguments: { value: text }, max: '0.01' }
      expect(JSON.parse(by['pay-mcp-arguments']!)).toEqual(called)
      expect(() => stripTypeScriptTypes(by['pay-typescript']!)).not.toThrow()
    },
  )

  it('of a tool on another machine over plain http are those of programs alone', () => {
    const tool = { url: 'http://api.example/mcp', name: 'x', arguments: {} }
    const snippets = toolSnippets(tool, purchaseOf(listing())!, 'https://facilitator.example')
    expect(snippets.map(({ id }) => id)).toEqual(['pay-typescript', 'pay-server'])
  })

  it('quote a word for a shell only where it needs that', () => {
    expect(shellWord('https://a.example/b')).toBe('https://a.example/b')
    expect(shellWord('a b')).toBe("'a b'")
  })
})
