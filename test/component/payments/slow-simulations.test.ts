import { Keypair, StrKey, xdr } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { acceptedKeys } from '../../support/api-keys.ts'
import type { PaymentBody } from '../../support/payments.ts'
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'
import type { Answer } from '../../support/stack.ts'
import { openWorld, type World } from './world.ts'

/** More than the line for the channels takes: the stack has three. */
const CROWD = 40
/** Simulations of `simulate_large` that one caller may have under way. */
const OF_ONE_CALLER = 3
/** The same of `simulate_contract`. */
const CONTRACTS_OF_ONE_CALLER = 12
/** The byte that the signatures of the crowd repeat, and that of others. */
const HANGS = 1
const ANSWERED = 2
const base64OfHangs = Buffer.alloc(30, HANGS).toString('base64')
const LARGE_BYTES = 20 * 1024
const SMALL_BYTES = 100
const attackersKey = 'the-key-of-an-attacker'

describe('while the simulations of one caller hang', () => {
  const gate = Promise.withResolvers<void>()
  let proxy: RpcProxy
  let world: World
  let crowd: Promise<Answer>[]
  /** Simulations that hang. */
  let hanging = 0
  beforeAll(async () => {
    proxy = await startRpcProxy()
    world = await openWorld({
      rpcThrough: proxy.forwardTo,
      // A line for the channels that is shorter than the crowd, however fast ledgers close.
      timings: { channelWaitMs: 500 },
      keys: acceptedKeys(attackersKey),
    })
    proxy.fail('simulateTransaction', {
      kind: 'gate',
      pass: async ({ transaction }, forward) => {
        if (String(transaction).includes(base64OfHangs)) {
          hanging += 1
          await gate.promise
        }
        return forward()
      },
    })
    const bodies = await Promise.all(
      Array.from({ length: CROWD }, () => payByContract(LARGE_BYTES, HANGS)),
    )
    crowd = bodies.map((body, n) => post(n % 4 === 0 ? '/verify' : '/settle', body, attackersKey))
    await vi.waitFor(() => expect(hanging).toBeGreaterThanOrEqual(OF_ONE_CALLER), {
      timeout: 120_000,
    })
  })
  afterAll(async () => {
    gate.resolve()
    await Promise.all(crowd)
    await world[Symbol.asyncDispose]()
    await proxy[Symbol.asyncDispose]()
  })

  /** A contract that does not exist pays: only a simulation can tell. */
  const payByContract = (bytes: number, byte: number): Promise<PaymentBody> => {
    const key = Keypair.random()
    const payer = { address: StrKey.encodeContract(key.rawPublicKey()), key }
    return world.pay({
      payer,
      afterwards: ({ credentials }) => {
        credentials.signature = xdr.ScVal.scvBytes(Buffer.alloc(bytes, byte))
      },
    })
  }

  const post = async (path: '/settle' | '/verify', body: PaymentBody, key: string) => {
    const answer = await fetch(world.stack.baseUrl + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify(body),
    })
    return { status: answer.status, headers: answer.headers, body: await answer.json() }
  }

  it('settles a payment of another, since the channels are free', async () => {
    const answer = await world.stack.post('/settle', await world.pay())
    expect(answer.body).toMatchObject({ success: true })
  })

  it('settles an ordinary payment with the same key', async () => {
    const answer = await post('/settle', await world.pay(), attackersKey)
    expect(answer.body).toMatchObject({ success: true })
  })

  it('simulates a large payment of another at once', async () => {
    const answer = await world.stack.post('/settle', await payByContract(LARGE_BYTES, ANSWERED))
    expect(answer).toMatchObject({ status: 200, body: { success: false } })
  })

  it('settles a payment of an account beside small ones of contracts that hang', async () => {
    const small = () => payByContract(SMALL_BYTES, HANGS)
    const contracts = await Promise.all(Array.from({ length: CROWD }, small))
    crowd.push(...contracts.map((body) => world.stack.post('/verify', body)))
    await vi.waitFor(
      () => expect(hanging).toBeGreaterThanOrEqual(OF_ONE_CALLER + CONTRACTS_OF_ONE_CALLER),
      {
        timeout: 120_000,
      },
    )
    const answer = await world.stack.post('/settle', await world.pay())
    expect(answer.body).toMatchObject({ success: true })
  })

  it('answers the caller in the end', async () => {
    gate.resolve()
    const answers = await Promise.all(crowd)
    const reasons = answers.map(({ body }) => body.errorReason ?? body.invalidReason)
    expect(reasons).not.toContain('settle_exact_stellar_channel_unavailable')
    expect(reasons.every((reason) => typeof reason === 'string')).toBe(true)
  })
})
