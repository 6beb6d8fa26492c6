import { describe, expect, test } from 'vitest'
import { quote } from '../../../src/buying/quote/quote.ts'
import { sellerHttp } from '../../../src/buying/seller/seller-http.ts'
import { answers, asksFor, offer, paidServer } from '../commands/buying/paid-server.ts'

/* URLs that others chose: which of them are called at all. */

const ask = async (url: string, address: string) => {
  const family = address.includes(':') ? 6 : 4
  await using http = sellerHttp({ reach: 'public', resolve: async () => [{ address, family }] })
  return await quote(http, { url }, { network: 'stellar:testnet' }).then(
    () => 'quoted',
    ({ code }) => code,
  )
}

describe('a buyer that may reach public addresses only', () => {
  test.each([
    'http://127.0.0.1:PORT/',
    'http://localhost:PORT/',
    'http://[::1]:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://2130706433:PORT/',
    'http://0177.0.0.1:PORT/',
    'http://0.0.0.0:PORT/',
    'http://169.254.169.254/latest/meta-data/',
    'http://10.0.0.1/',
    'http://kubernetes.default.svc.internal/',
    'http://seller.example:22/',
  ])('does not call %s', async (url) => {
    await using server = await paidServer(asksFor(offer('GSELLER')), answers(200))
    const { port } = new URL(server.url)
    expect(await ask(url.replace('PORT', port), '127.0.0.1')).toBe('unsafe_address')
    expect(server.calls()).toBe(0)
  })

  test.each(['127.0.0.1', '10.1.2.3', '169.254.169.254', '::1', 'fd00::1', '::ffff:10.0.0.1'])(
    'does not call a public name that leads to %s',
    async (address) => {
      await using server = await paidServer(asksFor(offer('GSELLER')), answers(200))
      const { port } = new URL(server.url)
      expect(await ask(`http://seller.example:${port}/`, address)).toBe('unsafe_address')
      expect(server.calls()).toBe(0)
    },
  )
})

test('a buyer that may reach this machine too calls it, and no private address', async () => {
  await using server = await paidServer(answers(200), answers(200))
  await using http = sellerHttp({ reach: 'loopback_too' })
  const network = 'stellar:testnet'
  await expect(quote(http, { url: server.url }, { network })).rejects.toMatchObject({
    code: 'no_price',
  })
  await expect(quote(http, { url: 'http://10.0.0.1/' }, { network })).rejects.toMatchObject({
    code: 'unsafe_address',
  })
  expect(server.calls()).toBe(1)
})
