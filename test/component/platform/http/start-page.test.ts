import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startStack } from '../../../support/stack.ts'
import { requestOf, sendRaw } from './raw-http.ts'

/* `GET /` of a running service, for a person with a browser and for a program. */

/** What browsers send: Chromium; Firefox and Safari. */
const browsers = [
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8',
  'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
]
const programs = [
  '*/*',
  'application/json',
  'application/json, text/plain, */*',
  'application/json, text/html;q=0.9',
  'text/html;q=0, */*',
  'text/*;q=0.1, application/json',
]

const opened = new AsyncDisposableStack()
let url: string
let close: () => Promise<void>
let page: string
let headers: Headers

const asBrowser = (accept = browsers[0] ?? '') => fetch(`${url}/`, { headers: { accept } })

beforeAll(async () => {
  const stack = opened.use(
    await startStack({
      closeEveryMs: 'on-send',
      timings: { monitorMs: 100 },
      network: { requireApiKey: true },
    }),
  )
  url = stack.baseUrl
  close = () => stack.localnet.close()
  const isHealthy = async () =>
    expect((await stack.get('/health')).body).toMatchObject({ state: 'healthy' })
  await vi.waitFor(isHealthy, { timeout: 120_000, interval: 20 })
  const response = await asBrowser()
  headers = response.headers
  page = await response.text()
})
afterAll(() => opened.disposeAsync())

describe('for a browser', () => {
  test.each(browsers)('is a page: %s', async (accept) => {
    const response = await asBrowser(accept)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('vary')).toMatch(/^Accept\b/)
    await response.arrayBuffer()
  })

  test('needs no other file, no script, and at most 30 KB', () => {
    expect(page.length).toBeLessThan(30_000)
    expect(page).not.toMatch(
      /<(script|link|img|iframe|object|embed|form)\b|\bon\w+=|@import|url\(/i,
    )
  })

  test('may load and run nothing: only its own style sheet applies', () => {
    const style = /<style>(?<text>.*?)<\/style>/s.exec(page)?.groups?.['text'] ?? ''
    const digest = createHash('sha256').update(style).digest('base64')
    expect(headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    )
    expect(page).not.toContain('style=')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cache-control')).toBe('no-store')
  })

  test('can be read by everyone: language, title, width of a phone, light and dark, header cells', () => {
    expect(page).toMatch(/^<!doctype html>\n<html lang="en">/)
    expect(page).toMatch(/<title>[^<]+<\/title>/)
    expect(page).toContain('name="viewport" content="width=device-width, initial-scale=1"')
    expect(page).toContain('prefers-color-scheme: dark')
    expect(page.match(/<h1>/g)).toHaveLength(1)
    expect(page).toMatch(/<th scope="col">/)
    expect(page).toMatch(/<th scope="row">/)
  })

  test('says what is served, in which state, and how to sell with it', () => {
    expect(page).toContain('<code>stellar:testnet</code>')
    expect(page).toContain('USDC')
    expect(page).toContain('<td>needed</td>')
    expect(page).toContain('class="state healthy"')
    expect(page).toContain('Version dev, x402 version 2')
    expect(page).toContain(`url: '${url}'`)
  })

  test('has links that work, also under a longer path', async () => {
    const links = [...page.matchAll(/<a href="(?<path>[^":]+)"/g)].map(
      ({ groups }) => groups?.['path'] ?? '',
    )
    expect(links).toEqual(['supported', 'health', 'ready', 'openapi.json'])
    for (const link of links) {
      const response = await fetch(new URL(link, `${url}/`))
      await response.arrayBuffer()
      expect(response.status, link).toBe(200)
    }
  })

  test.each(['"><script>alert(1)</script>', "x'+alert(1)+'", 'evil.example/path'])(
    'does not repeat the Host %s',
    async (host) => {
      const accept = `accept: ${browsers[0]}`
      const { status, body } = await sendRaw(
        url,
        requestOf('GET / HTTP/1.1', [`host: ${host}`, accept]),
      )
      expect(status).toBe(200)
      expect(body).not.toContain(host)
      expect(body).toContain('https://...')
    },
  )

  test('does not repeat what an unknown proxy, or a client that pretends to be one, forwards', async () => {
    const forwarded = { accept: browsers[0] ?? '', 'x-forwarded-host': 'evil.example' }
    const body = await (await fetch(`${url}/`, { headers: forwarded })).text()
    expect(body).not.toContain('evil.example')
    expect(body).toContain('the address of this page')
  })
})

describe('for a program', () => {
  test.each(programs)('is JSON: %s', async (accept) => {
    const response = await asBrowser(accept)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(response.headers.get('vary')).toBe('Accept')
    expect(await response.json()).toEqual({
      name: 'x402 payment facilitator for Stellar',
      version: 'dev',
      x402Version: 2,
      state: 'healthy',
      networks: [{ network: 'stellar:testnet', schemes: ['exact'], requiresApiKey: true }],
      links: {
        supported: '/supported',
        proofs: '/supported/proofs',
        verify: '/verify',
        settle: '/settle',
        usage: '/usage',
        statement: '/usage/statement',
        health: '/health',
        ready: '/ready',
        openapi: '/openapi.json',
      },
    })
  })

  test('is JSON without an Accept header', async () => {
    const { body } = await sendRaw(url, requestOf('GET / HTTP/1.1', ['host: svc']))
    expect(JSON.parse(body)).toMatchObject({ x402Version: 2 })
  })
})

// Last: it ends the network.
test('both show what /health shows when the network is lost', async () => {
  await close()
  const shown = async () => await (await asBrowser()).text()
  await expect.poll(shown, { timeout: 120_000 }).toContain('class="state degraded"')
  expect(await shown()).toContain('<code>rpc_unhealthy</code> on stellar:testnet:')
  expect(await (await fetch(`${url}/`)).json()).toMatchObject({ state: 'degraded' })
})
