import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readNamedServers } from '../../../../../src/buying/mcp/seller/named-servers.ts'
import { walletPlan } from '../../../../../src/commands/buying/mcp/wallet.ts'
import { UsageError } from '../../../../../src/commands/command-line/usage-error.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-servers-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const fileOf = (content: unknown): string => {
  const file = join(folder, 'servers.json')
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

describe('the file of servers that may be started', () => {
  test('has the form of hosts', () => {
    const server = { command: 'forecasts', args: ['--stdio'], env: { REGION: 'eu' } }
    const read = readNamedServers(fileOf({ mcpServers: { 'fore_casts.1': server } }))
    expect([...read]).toEqual([['fore_casts.1', server]])
  })

  test.each([
    ['no JSON', '{'],
    ['no servers', {}],
    ['a server that is reached by a URL', { mcpServers: { a: { url: 'https://a.example' } } }],
    ['a server without a command', { mcpServers: { a: { args: [] } } }],
    ['a member that is not known', { mcpServers: { a: { command: 'x', shell: true } } }],
    ['a name that no URL holds', { mcpServers: { 'a b': { command: 'x' } } }],
  ])('is a mistake of the command line with %s', (_, content) => {
    const flags = { budget: '1', budgetFile: undefined, rpc: undefined, network: undefined }
    const servers = fileOf(content)
    const plan = () =>
      walletPlan({ ...flags, network: 'stellar:testnet', servers }, undefined, {
        BUYER_SECRET: 'S',
      })
    expect(plan).toThrow(UsageError)
    expect(plan).toThrow(/--servers is a file of JSON with mcpServers/)
  })

  test('needs a wallet', () => {
    const flags = { budget: undefined, budgetFile: undefined, rpc: undefined, network: undefined }
    expect(() => walletPlan({ ...flags, servers: 'x' }, undefined, {})).toThrow(UsageError)
  })
})
