import { StrKey, xdr } from '@stellar/stellar-sdk'
import { expect, test } from 'vitest'
import { TokenReader, tokenPauseMs } from '../../../../src/stellar/contracts/token-reader.ts'
import { RpcError, type Simulation, type StellarRpc } from '../../../../src/stellar/rpc/rpc.ts'
import { FakeClock } from '../../../support/fake-clock.ts'

const token = StrKey.encodeContract(new Uint8Array(32).fill(7))
const { signal } = new AbortController()
const HOUR_MS = 3_600_000

const answer = (value: xdr.ScVal): Simulation => ({
  kind: 'ok',
  latestLedger: 1,
  minResourceFee: 0n as never,
  transactionData: '',
  returnValueXdr: value.toXdr('base64'),
  events: [],
  output: { emittedBytes: 0, dataEntryBytes: 0, codeEntryBytes: 0 },
  needsRestore: false,
})
const refusal: Simulation = { kind: 'failed', latestLedger: 1, error: 'no', events: [] }
const text = answer(xdr.ScVal.scvString('TOK'))
const number = answer(xdr.ScVal.scvU32(7))

const answering = (...answers: readonly Simulation[]) => {
  const queues: (string | undefined)[] = []
  const rest = [...answers]
  const simulate: StellarRpc['simulate'] = async (_envelope, _signal, queue) => {
    queues.push(queue)
    return rest.shift() ?? refusal
  }
  return { simulate, queues }
}

test('asks for all three, apart from the simulations of payments', async () => {
  const rpc = answering(text, text, number)
  expect(await new TokenReader(new FakeClock()).read(rpc, token, signal)).toEqual({
    kind: 'complete',
    metadata: { symbol: 'TOK', name: 'TOK', decimals: 7n },
  })
  expect(rpc.queues).toEqual(['simulate_token', 'simulate_token', 'simulate_token'])
})

test('asks a token for nothing more that left something out', async () => {
  const rpc = answering(text, refusal, number)
  expect(await new TokenReader(new FakeClock()).read(rpc, token, signal)).toEqual({
    kind: 'partial',
    metadata: { symbol: 'TOK' },
  })
  expect(rpc.queues).toHaveLength(2)
})

test('reads one token in ten seconds, and gives the others their turns one after the other', async () => {
  const clock = new FakeClock()
  const reader = new TokenReader(clock)
  const read = () => reader.read(answering(text, text, number), token, signal)
  expect(await read()).toMatchObject({ kind: 'complete' })
  expect(await read()).toEqual({ kind: 'later', afterMs: 10_000 })
  expect(await read()).toEqual({ kind: 'later', afterMs: 30_000 })
  await clock.advance(10_000)
  expect(await read()).toMatchObject({ kind: 'complete' })
  expect(await read()).toEqual({ kind: 'later', afterMs: 40_000 })
})

test('waits three seconds for a token, and for none whose request failed', async () => {
  const clock = new FakeClock()
  const reader = new TokenReader(clock)
  const reading = reader.read({ simulate: () => new Promise(() => {}) }, token, signal)
  await clock.advance(3_000)
  expect(await reading).toMatchObject({ kind: 'failed', error: { name: 'TimeLimitExceeded' } })
  await clock.advance(10_000)
  const simulate = async () => {
    throw new RpcError('transport', 'simulateTransaction', 'no answer')
  }
  expect(await reader.read({ simulate }, token, signal)).toMatchObject({ kind: 'failed' })
})

test.each([
  [1, 1],
  [2, 4],
  [4, 64],
  [40, 720],
])('after %i failures leaves it alone for %i hours', (failures, hours) => {
  expect(tokenPauseMs(failures)).toBe(hours * HOUR_MS)
})
