/** The diagnostic events of invocations, in stellar-core's order. */
import { type Keypair, scValToNative, xdr } from '@stellar/stellar-sdk'
import { beforeEach, describe, expect, it } from 'vitest'
import type { AppliedTransaction } from '../../../src/localnet/closing/history.ts'
import type { Localnet } from '../../../src/localnet/network.ts'
import { apply, build, fund, key, metaOf, openNetwork, type PreparedCall } from './harness.ts'
import { type Declaration, declaring, transferCall } from './soroban-harness.ts'

const [alice, bob] = [1, 2].map(key) as [Keypair, Keypair]
let net: Localnet

const open = async (options: Parameters<typeof openNetwork>[0] = {}): Promise<void> => {
  net = openNetwork(options).net
  await fund(net, [alice, bob])
}

beforeEach(() => open())

const transfer = () => transferCall(net, { from: alice, to: bob, amount: 5n, source: bob })

const applied = (call: PreparedCall): Promise<AppliedTransaction> =>
  apply(net, build(net, { source: bob, call }))

/** The events of a transfer that declares other resources. */
const eventsDeclaring = async (changes: Declaration): Promise<ReadEvent[]> =>
  eventsOf(await applied(declaring(await transfer(), changes)))

interface ReadEvent {
  readonly successful: boolean
  readonly topics: readonly unknown[]
  readonly data: unknown
}

const eventsOf = ({ diagnosticEvents }: AppliedTransaction): ReadEvent[] =>
  diagnosticEvents.map((bytes) => {
    const { inSuccessfulContractCall: successful, event } = xdr.DiagnosticEvent.fromXdr(bytes)
    const { topics, data } = event.body.v0
    const native = (value: xdr.ScVal) =>
      value.type === 'scvError' ? `${value.error.type} ${value.error.value}` : scValToNative(value)
    return { successful, topics: topics.map(native), data: native(data) }
  })

const namesOf = (events: readonly ReadEvent[]): unknown[] => events.map(({ topics }) => topics[0])

const metrics = (events: readonly ReadEvent[]): Record<string, unknown> =>
  Object.fromEntries(
    events
      .filter(({ topics }) => topics[0] === 'core_metrics')
      .map(({ topics, data }) => [String(topics[1]), data]),
  )

/** In the order of the real network. */
const metricNames = [
  ...['read_entry', 'write_entry', 'ledger_read_byte', 'ledger_write_byte'],
  ...['read_key_byte', 'write_key_byte', 'read_data_byte', 'write_data_byte'],
  ...['read_code_byte', 'write_code_byte', 'emit_event', 'emit_event_byte'],
  ...['cpu_insn', 'mem_byte', 'invoke_time_nsecs'],
  ...['max_rw_key_byte', 'max_rw_data_byte', 'max_rw_code_byte', 'max_emit_event_byte'],
]
const nineteen = metricNames.map(() => 'core_metrics')

describe('the diagnostic events of invocations', () => {
  it('of one that succeeds end with nineteen metrics', async () => {
    const transaction = await applied(await transfer())
    const events = eventsOf(transaction)
    expect(namesOf(events)).toEqual(['fn_call', 'transfer', 'fn_return', ...nineteen])
    expect(events.every(({ successful }) => successful)).toBe(true)
    expect(events.slice(-19).map(({ topics }) => topics[1])).toEqual(metricNames)
    const [event = new Uint8Array()] = transaction.contractEvents[0] ?? []
    // Two accounts are read from disk; the nonce and the contract's instance are in memory.
    expect(metrics(events)).toMatchObject({
      read_entry: 4n,
      write_entry: 3n,
      read_key_byte: 80n,
      write_key_byte: 0n,
      read_code_byte: 0n,
      emit_event: 1n,
      emit_event_byte: BigInt(event.length + 4),
      max_emit_event_byte: BigInt(event.length),
    })
    const { cpu_insn: instructions, invoke_time_nsecs: time } = metrics(events)
    expect(time).toBe(BigInt(String(instructions)) / 4n)
  })

  it('of one that the host refuses have host_fn_failed before the metrics', async () => {
    const call = await transfer()
    await applied(call)
    const events = eventsOf(await applied(call))
    expect(namesOf(events).slice(-20)).toEqual(['host_fn_failed', ...nineteen])
    expect(events.at(-20)).toEqual({
      successful: false,
      topics: ['host_fn_failed', expect.stringMatching(/^sceAuth /)],
      data: null,
    })
    expect(events.slice(-19).some(({ successful }) => successful)).toBe(false)
    expect(metrics(events)).toMatchObject({ write_entry: 0n, emit_event: 0n })
  })

  // The second is as in testnet's transaction 5d6c1b20977771c87d14d90a823599be103df68aeb20a50f1d3a0821890cd0d9
  // (ledger 5071040, October 2026).
  it.each<{
    what: string
    declares: Declaration
    before: string[]
    used?: string
    counts?: object
  }>([
    {
      what: 'instructions',
      declares: { instructions: 1_000 },
      before: ['host_fn_failed false'],
    },
    {
      what: 'byte-write resources',
      declares: { writeBytes: 10 },
      before: ['fn_call true', 'transfer true', 'fn_return true'],
      used: 'ledger_write_byte',
      counts: { write_entry: 1n, emit_event: 0n },
    },
    {
      what: 'byte-read resources',
      declares: { diskReadBytes: 10 },
      before: [],
      used: 'ledger_read_byte',
      counts: { cpu_insn: 0n, mem_byte: 0n },
    },
  ])(
    'of one that exceeds its $what are $before, then the error',
    async ({ what, declares, ...then }) => {
      const { before, used, counts = {} } = then
      const events = await eventsDeclaring(declares)
      expect(
        events.slice(0, -20).map(({ topics, successful }) => `${topics[0]} ${successful}`),
      ).toEqual(before)
      expect(events.at(-20)).toEqual({
        successful: false,
        topics: ['error', expect.stringMatching(/^sceBudget /)],
        data: [
          `operation ${what} exceeds amount specified`,
          used ? metrics(events)[used] : expect.any(BigInt),
          ...Object.values(declares).map(BigInt),
        ],
      })
      const [, amount, allowed] = Object(events.at(-20)?.data)
      expect(amount > allowed).toBe(true)
      expect(namesOf(events).slice(-19)).toEqual(nineteen)
      expect(events.slice(-19).some(({ successful }) => successful)).toBe(false)
      expect(metrics(events)).toMatchObject(counts)
    },
  )

  it("have stellar-core's error after the metrics in meta v3", async () => {
    await open({ metaVersion: 3 })
    const events = await eventsDeclaring({ instructions: 1_000 })
    expect(namesOf(events)).toEqual(['host_fn_failed', ...nineteen, 'error'])
  })

  it('are the same in meta and in the history', async () => {
    const transaction = await applied(await transfer())
    expect(metaOf(transaction).diagnosticEvents.map((it) => it.toXdr('hex'))).toEqual(
      transaction.diagnosticEvents.map((it) => Buffer.from(it).toString('hex')),
    )
  })
})
