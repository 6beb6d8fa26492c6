import { Keypair } from '@stellar/stellar-sdk'
import { describe, expect, test } from 'vitest'
import { pay } from '../../../../../src/commands/buying/pay/pay.ts'
import { runHere } from '../../command-line/run-here.ts'

const stranger = Keypair.random()

describe('a mistyped call of svc pay', () => {
  const rpc = ['--rpc', 'https://127.0.0.1:1']
  const max = ['--max', '1']
  test.each([
    { args: ['nowhere', ...rpc], says: 'not a URL such as https://api.example/weather: nowhere' },
    {
      args: [stranger.secret(), ...rpc],
      says: 'not a URL such as https://api.example/weather: S...',
    },
    { args: ['ftp://x', ...rpc], says: 'starts with https:// or http://, not ftp:' },
    { args: ['http://a:b@x', ...rpc], says: 'holds a user name or a password' },
    { args: ['http://x', 'http://y', ...rpc], says: "one URL at most, so not 'http://y'" },
    { args: ['http://x'], says: 'a URL needs --max, the most that the call may cost' },
    { args: ['http://x', '--max', ''], says: '--max is a decimal of the token such as 0.05' },
    { args: [...rpc], says: '--rpc needs a URL' },
    { args: ['--network', 'testnet'], says: '--network needs a URL' },
    { args: ['/path', '--key-file', 'seed'], says: '--key-file needs a URL' },
    { args: ['http://x', ...max, '--rpc', 'http://127.0.0.1:8000'], says: '--rpc must be https' },
    {
      args: ['http://x', ...max, '--rpc', 'rpc'],
      says: '--rpc is not a URL such as https://soroban-testnet.stellar.org: rpc',
    },
    {
      args: ['http://x', ...max, '--network', 'pubnet'],
      says: 'stellar:pubnet has no Stellar RPC for everybody: name one with --rpc',
    },
    {
      args: ['http://x', ...max, '--network', 'base'],
      says: '--network is one of stellar:testnet',
    },
    { args: ['http://x', ...max, '--asset', 'USDC'], says: '--asset is the address of a token' },
    {
      args: ['http://x', ...max, '--key-file', 'a', '--keychain', 'b'],
      says: '--key-file and --keychain both name a place of the seed',
    },
    { args: ['http://x', ...max, '--data', 'a', '--method', 'GET'], says: 'GET takes no --data' },
    { args: ['http://x', ...max, '--method', 'G T'], says: '--method is an HTTP method' },
    { args: ['http://x', ...max, '--header', 'X'], says: '--header is "NAME: VALUE", such as' },
    { args: ['http://x', ...max, '--header', 'x-payment: a'], says: 'cannot set x-payment' },
    ...['much', '-1', '1e3', '0x1', '1,5', '.5', ' 1', '١', 'Infinity'].map((typed) => ({
      args: ['http://x', `--max=${typed}`],
      says: `--max is a decimal of the token such as 0.05, not ${typed}`,
    })),
    ...[
      'mcp+https://x/mcp',
      'mcp+http://x/mcp#tool',
      'mcp+https://a:b@x/mcp#tool',
      'mcp+ftp://x#t',
    ].map((url) => ({
      args: [url, ...max],
      says: `a tool of an MCP server is written as in mcp+https://api.example/mcp#tool`,
    })),
    { args: ['mcp+stdio://x#tool', ...max], says: 'svc pay starts no MCP server' },
    { args: ['mcp+https://x#t', ...max, '--method', 'GET'], says: 'takes no --method' },
    ...['a', '[]', '1', '{'].map((data) => ({
      args: ['mcp+https://x#t', ...max, '--data', data],
      says: '--data holds the arguments of the tool, a JSON object',
    })),
    { args: ['http://x', '--mxa', '1'], says: 'Did you mean --max?' },
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
