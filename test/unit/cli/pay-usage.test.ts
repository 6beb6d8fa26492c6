import { Keypair } from '@stellar/stellar-sdk'
import { describe, expect, test } from 'vitest'
import { pay } from '../../../src/cli/pay.ts'
import { runHere } from './command/run-here.ts'

const stranger = Keypair.random()

describe('a mistyped call of svc pay', () => {
  const rpc = ['--rpc', 'https://127.0.0.1:1']
  test.each([
    { args: ['nowhere', ...rpc], says: 'not a URL such as https://api.example/weather: nowhere' },
    {
      args: [stranger.secret(), ...rpc],
      says: 'not a URL such as https://api.example/weather: S...',
    },
    { args: ['ftp://x', ...rpc], says: 'starts with https:// or http://, not ftp:' },
    { args: ['http://a:b@x', ...rpc], says: 'holds a user name or a password' },
    { args: ['http://x', 'http://y', ...rpc], says: "one URL at most, so not 'http://y'" },
    {
      args: ['http://x'],
      says: 'a URL needs --rpc as well, such as --rpc https://soroban-testnet',
    },
    { args: [...rpc], says: '--rpc needs a URL' },
    { args: ['http://x', '--rpc', 'http://127.0.0.1:8000'], says: '--rpc must be https' },
    {
      args: ['http://x', '--rpc', 'rpc'],
      says: '--rpc is not a URL such as https://soroban-testnet.stellar.org: rpc',
    },
    { args: ['http://x', ...rpc, '--body', 'a', '--method', 'GET'], says: 'GET takes no --body' },
    { args: ['http://x', ...rpc, '--method', 'G T'], says: '--method is an HTTP method' },
    { args: ['http://x', ...rpc, '--header', 'X'], says: '--header is "NAME: VALUE", such as' },
    { args: ['http://x', ...rpc, '--header', 'x-payment: a'], says: 'cannot set x-payment' },
    { args: ['http://x', ...rpc, '--max-amount', 'much'], says: 'amount of USDC such as 0.05' },
    { args: ['http://x', ...rpc, '--max', 'much'], says: '--max is an amount of USDC such as' },
    { args: ['http://x', ...rpc, '--max', '1', '--max-amount', '1'], says: 'give one of them' },
    { args: ['http://x', ...rpc, '--max-amont', '1'], says: 'Did you mean --max-amount?' },
  ])('exits 64 for $args, and is JSON on demand', async ({ args, says }) => {
    const { code, out, err } = await runHere(pay, ...args, '--json')
    expect(code).toBe(64)
    expect(out).toMatch(/^\{.*\}\n$/)
    expect(JSON.parse(out)).toMatchObject({
      paid: false,
      error: 'usage',
      message: expect.stringContaining(says),
    })
    expect(err).toContain(says)
    expect(out + err).not.toContain(stranger.secret())
  })
})
