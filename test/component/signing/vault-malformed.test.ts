import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  type StandInAnswer,
  startVaultStandIn,
  type VaultFault,
  type VaultStandIn,
} from '../../support/vault/vault-stand-in.ts'
import { noLimit, problemIn, requestsOf, VaultSetup, withVault } from './vault-setup.ts'

let vault: VaultStandIn
let setup: VaultSetup

beforeAll(async () => {
  vault = await startVaultStandIn()
  setup = await VaultSetup.open(vault)
})
afterEach(() => {
  vault.fault = undefined
})
afterAll(() => setup?.[Symbol.asyncDispose]())

/** Answers each request to sign so, and all others as usual. */
const whenSigning =
  (answer: StandInAnswer): VaultFault =>
  ({ path }) =>
    path.startsWith('transit/sign/') ? answer : undefined

const signTwo = async () => {
  const place = await setup.place()
  return withVault(place, (service) => service.sign(requestsOf(2), noLimit))
}

describe('an answer that is no answer to the request', () => {
  const result = { signature: `vault:v1:${Buffer.alloc(64).toString('base64')}` }
  const results = (...batch_results: unknown[]) => ({ data: { batch_results } })
  const signature = (text: string) => results(result, { signature: text })

  test.each<[string, unknown]>([
    ['no JSON', 'hvs.secret is no JSON'],
    ['cut off', '{"data":{"batch_results":['],
    ['more than half a megabyte', ' '.repeat(600_000)],
    ['JSON of many values', JSON.stringify(Array(30_000).fill(1))],
    ['no object', []],
    ['without results', { data: {} }],
    ['one signature too few', results(result)],
    ['one signature too many', results(result, result, result)],
    ['a result without a signature', results(result, {})],
    ['a signature of another version', signature(result.signature.replace('v1', 'v2'))],
    ['a signature that is too short', signature(`vault:v1:${Buffer.alloc(63).toString('base64')}`)],
    ['a signature that is no base64', signature(result.signature.replace('AA', '-_'))],
    ['a signature without its prefix', signature(Buffer.alloc(64).toString('base64'))],
  ])('(%s) is invalid, and is not shown', async (_, body) => {
    vault.fault = whenSigning({ status: 200, body })
    const { problem, text } = await problemIn(signTwo())
    expect(problem).toBe('invalid')
    expect(text).not.toContain('hvs.secret')
    expect(text).not.toContain(result.signature)
  })

  test.each<[string, unknown]>([
    ['without data', {}],
    ['of no key', { data: { type: 'ed25519', derived: false, latest_version: 0, keys: {} } }],
    [
      'with a public key that is too short',
      {
        data: {
          type: 'ed25519',
          derived: false,
          latest_version: 1,
          keys: { 1: { public_key: 'AAAA' } },
        },
      },
    ],
    [
      'with a public key in PEM',
      {
        data: {
          type: 'ed25519',
          derived: false,
          latest_version: 1,
          keys: { 1: { public_key: '-----BEGIN' } },
        },
      },
    ],
  ])('(about a key, %s) is invalid', async (_, body) => {
    const place = await setup.place()
    vault.fault = ({ path }) =>
      path.startsWith('transit/keys/') ? { status: 200, body } : undefined
    const work = withVault(place, (service) => service.publicKey(noLimit))
    await expect(problemIn(work)).resolves.toMatchObject({ problem: 'invalid' })
  })

  test('(to a login) is invalid', async () => {
    const place = await setup.place({ login: await setup.kubernetesLogin() })
    vault.fault = ({ path }) =>
      path.endsWith('/login') ? { status: 200, body: { auth: { client_token: '' } } } : undefined
    const work = withVault(place, (service) => service.publicKey(noLimit))
    await expect(problemIn(work)).resolves.toMatchObject({ problem: 'invalid' })
  })
})
