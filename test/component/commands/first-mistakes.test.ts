/** What the service says of the mistakes of a first start. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../support/postgres.ts'
import { newSponsor, run } from './admin-world.ts'
import { runHere } from './run-here.ts'

const sponsor = newSponsor()
const env = {
  PATH: process.env['PATH'],
  LOG_LEVEL: 'silent',
  STORE: 'memory',
  HOST: '127.0.0.1',
  PORT: '0',
  ADMIN_PORT: '0',
  EXPLORER_ENABLED: 'false',
  TESTNET_RPC_URL: 'http://127.0.0.1:1',
  TESTNET_SPONSOR_SECRET: sponsor.secret,
}

describe('svc serve', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await freshDatabase()
  })
  afterAll(() => database[Symbol.asyncDispose]())
  const stored = () => ({ ...env, STORE: 'postgres', DATABASE_URL: database.url })

  test.each(['PORT', 'ADMIN_PORT'])('names %s when its port is taken', async (variable) => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const address = other.address()
    const port = typeof address === 'object' && address ? address.port : 0
    // One as the program, which has to end although much is open.
    const start = variable === 'PORT' ? run : runHere
    const ran = await start({ ...stored(), [variable]: String(port) }, 'serve')
    other.close()
    expect(ran.code).toBe(1)
    expect(ran.err).toBe(
      `svc serve: ${variable}: port ${port} on 127.0.0.1 is taken by another program. ` +
        `Stop that program, or set ${variable} to another port; 0 takes any free one.\n`,
    )
  })

  test('names HOST when it is of another machine', async () => {
    const ran = await runHere({ ...stored(), HOST: '192.0.2.1' }, 'serve')
    expect(ran.code).toBe(1)
    expect(ran.err).toMatch(/ 192\.0\.2\.1 is not on an address of this machine\. Set HOST to /)
  })

  test('names a misspelled variable before it says what is missing', async () => {
    const { TESTNET_RPC_URL, ...rest } = env
    const ran = await runHere({ ...rest, TESTNET_RPCURL: TESTNET_RPC_URL }, 'serve')
    expect(ran).toMatchObject({ code: 78, out: '' })
    expect(ran.err).toBe(
      'svc serve: TESTNET_RPCURL is no setting. Did you mean TESTNET_RPC_URL?\n' +
        'the configuration is invalid:\n' +
        '  TESTNET_RPC_URL is required, such as https://soroban-testnet.stellar.org\n',
    )
  })
})

test('a seed in another variable is not repeated', async () => {
  const ran = await runHere({ ...env, NETWORKS: sponsor.secret }, 'status')
  expect(ran).toMatchObject({ code: 78, out: '' })
  expect(ran.err).toContain('NETWORKS names "S..."')
  expect(ran.err).not.toContain(sponsor.secret)
})

test('svc settlements says why it cannot read a store in memory', async () => {
  const ran = await runHere(env, 'settlements', 'list')
  expect(ran).toMatchObject({ code: 78, out: '' })
  expect(ran.err).toMatch(
    /STORE must be postgres: settlements in memory are known only to the running/,
  )
})

describe('svc operator', () => {
  const alone = { PATH: process.env['PATH'], HOME: '/nonexistent', ADMIN_PORT: '0' }

  test('requires a kubeconfig outside of a pod', async () => {
    const ran = await runHere(alone, 'operator')
    expect(ran).toMatchObject({ code: 78, out: '' })
    expect(ran.err).toMatch(
      /^the configuration is invalid:\n {2}KUBECONFIG is required outside of a pod/,
    )
  })

  test('names a kubeconfig that cannot be read', async () => {
    const ran = await runHere({ ...alone, KUBECONFIG: '/nonexistent' }, 'operator')
    expect(ran).toMatchObject({ code: 78, out: '' })
    expect(ran.err).toMatch(
      / {2}KUBECONFIG names a file that cannot be read as a kubeconfig \(ENOENT/,
    )
  })
})

test('svc doctor passes over a secret file of a network that is not served', async () => {
  const ran = await runHere({ ...env, PUBNET_SPONSOR_SECRET_FILE: '/nonexistent' }, 'doctor')
  expect(ran).toMatchObject({ code: 1, err: '' })
  expect(ran.lines.find(({ check }) => check === 'secret-files')).toMatchObject({ status: 'ok' })
})
