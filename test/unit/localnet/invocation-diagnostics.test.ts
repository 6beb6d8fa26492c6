/** The diagnostic events of invocations, in stellar-core's order. */
import { Asset, type Keypair, scValToNative, xdr } from '@stellar/stellar-sdk'
import { beforeEach, describe, expect, it } from 'vitest'
import type { AppliedTransaction } from '../../../src/localnet/history.ts'
import type { Localnet } from '../../../src/localnet/network.ts'
import { apply, build, fund, key, openNetwork } from './harness.ts'
import { declaring, type PreparedCall, transferCall } from './soroban-harness.ts'

const [alice, bob] = [1, 2].map(key) as [Keypair, Keypair]
let net: Localnet

const open = async (options: Parameters<typeof openNetwork>[0] = {}): Promise<void> => {
  net = openNetwork(options).net
  await fund(net, [alice, bob])
}

beforeEach(() => open())

const transfer = (amount = 5n): Promise<PreparedCall> =>
  transferCall(net, {
    from: alice.publicKey(),
    to: bob.publicKey(),
    amount,
    payer: alice,
    source: bob,
    asset: Asset.native(),
  })

const applied = (call: PreparedCall): Promise<AppliedTransaction> =>
  apply(net, build(net, { source: bob, operations: [call.operation], sorobanData: call.data }))

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

/** The call, declaring other resources. */
function withResources(
  { operation, data }: PreparedCall,
  changes: Partial<Pick<xdr.SorobanResources, 'diskReadBytes' | 'writeBytes'>>,
): PreparedCall {
  const { footprint, instructions, diskReadBytes, writeBytes } = data.resources
  const resources = { footprint, instructions, diskReadBytes, writeBytes, ...changes }
  const { ext, resourceFee } = data
  return {
    operation,
    data: new xdr.SorobanTransactionData({
      ext,
      resources: new xdr.SorobanResources(resources),
      resourceFee,
    }),
  }
}

describe('the diagnostic events of an invocation', () => {
  it('that succeeds end with nineteen metrics', async () => {
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

  it('that the host refuses have host_fn_failed before the metrics', async () => {
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

  it("have stellar-core's error after host_fn_failed when the budget runs out", async () => {
    const events = eventsOf(await applied(declaring(await transfer(), { instructions: 1_000 })))
    expect(namesOf(events)).toEqual(['host_fn_failed', 'error', ...nineteen])
    expect(events[0]?.topics[1]).toMatch(/^sceBudget /)
    expect(events[1]).toMatchObject({
      topics: ['error', expect.stringMatching(/^sceBudget /)],
      data: ['operation instructions exceeds amount specified', expect.any(BigInt), 1_000n],
    })
  })

  // As in testnet's transaction 5d6c1b20977771c87d14d90a823599be103df68aeb20a50f1d3a0821890cd0d9
  // (ledger 5071040, October 2026).
  it('that writes too much are those of a success, then the error', async () => {
    const call = await transfer()
    const events = eventsOf(await applied(withResources(call, { writeBytes: 10 })))
    const host = ['fn_call', 'transfer', 'fn_return']
    expect(namesOf(events)).toEqual([...host, 'error', ...nineteen])
    expect(events.map(({ successful }) => successful)).toEqual([
      ...host.map(() => true),
      ...['error', ...nineteen].map(() => false),
    ])
    expect(events[3]?.data).toEqual([
      'operation byte-write resources exceeds amount specified',
      metrics(events)['ledger_write_byte'],
      10n,
    ])
    expect(metrics(events)).toMatchObject({ write_entry: 1n, emit_event: 0n })
  })

  it('that reads too much from disk are the error alone', async () => {
    const call = await transfer()
    const events = eventsOf(await applied(withResources(call, { diskReadBytes: 10 })))
    expect(namesOf(events)).toEqual(['error', ...nineteen])
    expect(events[0]?.data).toEqual([
      'operation byte-read resources exceeds amount specified',
      metrics(events)['ledger_read_byte'],
      10n,
    ])
    expect(metrics(events)).toMatchObject({ cpu_insn: 0n, mem_byte: 0n })
  })

  it("have stellar-core's error after the metrics in meta v3", async () => {
    await open({ metaVersion: 3 })
    const events = eventsOf(await applied(declaring(await transfer(), { instructions: 1_000 })))
    expect(namesOf(events)).toEqual(['host_fn_failed', ...nineteen, 'error'])
  })

  it('are the same in meta and in the history', async () => {
    const { resultMetaXdr, diagnosticEvents } = await applied(await transfer())
    const meta = xdr.TransactionMeta.fromXdr(resultMetaXdr)
    if (meta.type !== 'v4') throw new Error(meta.type)
    expect(meta.v4.diagnosticEvents.map((it) => it.toXdr('hex'))).toEqual(
      diagnosticEvents.map((it) => Buffer.from(it).toString('hex')),
    )
  })
})
