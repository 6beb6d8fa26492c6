/**
 * The shapes in which versions of Stellar RPC list one and the same transaction, made from what the embedded network's
 * `getTransactions` answers: base64, `events` and meta V4.
 */
import { xdr } from '@stellar/stellar-sdk'
import type { RawTransaction } from '../../../src/stellar/rpc/pages/transaction-pages.ts'

type Members = Record<string, unknown>
type Shape = (listed: Members) => Members

const without = (members: Members, ...names: readonly string[]): Members =>
  Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)))

const eventsOf = (members: Members): Members => ({ ...(members['events'] as Members) })
const textsOf = (list: unknown): string[] => (list ?? []) as string[]
const diagnosticsOf = (members: Members) => textsOf(members['diagnosticEventsXdr'])

const metaOf = (members: Members): xdr.TransactionMetaV4 => {
  const meta = xdr.TransactionMeta.fromXdr(String(members['resultMetaXdr']), 'base64')
  if (meta.type !== 'v4') throw new TypeError(`meta is ${meta.type}`)
  return meta.v4
}

/** As before protocol 23: contract events of the whole transaction, changes of operations alone. */
function metaV3(members: Members): xdr.TransactionMeta {
  const { ext, txChangesBefore, txChangesAfter, operations, sorobanMeta } = metaOf(members)
  const diagnosticEvents = diagnosticsOf(members).map((event) =>
    xdr.DiagnosticEvent.fromXdr(event, 'base64'),
  )
  return xdr.TransactionMeta.v3(
    new xdr.TransactionMetaV3({
      ext,
      txChangesBefore,
      txChangesAfter,
      operations: operations.map(({ changes }) => new xdr.OperationMeta({ changes })),
      sorobanMeta:
        sorobanMeta &&
        new xdr.SorobanTransactionMeta({
          ext: sorobanMeta.ext,
          events: operations.flatMap(({ events }) => events),
          returnValue: sorobanMeta.returnValue ?? xdr.ScVal.scvVoid(),
          diagnosticEvents,
        }),
    }),
  )
}

function reversedChanges(members: Members): xdr.TransactionMeta {
  const meta = metaOf(members)
  return xdr.TransactionMeta.v4(
    new xdr.TransactionMetaV4({
      ...meta,
      txChangesBefore: meta.txChangesBefore.toReversed(),
      txChangesAfter: meta.txChangesAfter.toReversed(),
      operations: meta.operations.map(
        ({ ext, changes, events }) =>
          new xdr.OperationMetaV2({ ext, changes: changes.toReversed(), events }),
      ),
    }),
  )
}

const isMetrics = (event: string): boolean => {
  const [topic] = xdr.DiagnosticEvent.fromXdr(event, 'base64').event.body.v0.topics
  return topic?.type === 'scvSymbol' && topic.sym.toString() === 'core_metrics'
}

/** The metrics of stellar-core before the events of the call, or between them. */
const metricsFirst: Shape = (members) => {
  const events = diagnosticsOf(members)
  const metrics = events.filter(isMetrics).toReversed()
  const [first = [], ...rest] = [metrics.slice(0, 5), metrics.slice(5)]
  const others = events.filter((event) => !isMetrics(event))
  return { ...members, diagnosticEventsXdr: [...first, ...others, ...rest.flat()] }
}

const before23: Shape = (members) => ({
  ...without(members, 'events', 'diagnosticEventsXdr'),
  resultMetaXdr: metaV3(members).toXdr('base64'),
})

interface XdrClass {
  fromXdr(text: string, format: 'base64'): { toJson(): unknown }
}
const json = (type: XdrClass, text: unknown): unknown =>
  type.fromXdr(String(text), 'base64').toJson()

/** SEP-51, in members of the names that Stellar RPC gives them. */
const inJson: Shape = (members) => {
  const events = eventsOf(members)
  const contractEvents = events['contractEventsXdr'] as readonly string[][] | undefined
  const diagnostics = members['diagnosticEventsXdr'] as readonly string[] | undefined
  return {
    ...without(
      members,
      ...['envelopeXdr', 'resultXdr', 'resultMetaXdr', 'diagnosticEventsXdr', 'events'],
    ),
    envelopeJson: json(xdr.TransactionEnvelope, members['envelopeXdr']),
    resultJson: json(xdr.TransactionResult, members['resultXdr']),
    ...(members['resultMetaXdr'] !== undefined && {
      resultMetaJson: json(xdr.TransactionMeta, members['resultMetaXdr']),
    }),
    ...(diagnostics && {
      diagnosticEventsJson: diagnostics.map((event) => json(xdr.DiagnosticEvent, event)),
    }),
    ...(members['events'] !== undefined && {
      events: {
        ...(contractEvents && {
          contractEventsJson: contractEvents.map((events) =>
            events.map((event) => json(xdr.ContractEvent, event)),
          ),
        }),
      },
    }),
  }
}

/** As versions write it that name the member after the field of the Rust structure. */
const underscored = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(underscored)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, member]) => [
    name === 'type' ? 'type_' : name,
    underscored(member),
  ])
  return Object.fromEntries(entries)
}

const onlyEvents: Shape = (members) => without(members, 'resultMetaXdr', 'diagnosticEventsXdr')
const onlyMeta: Shape = (members) => without(members, 'events', 'diagnosticEventsXdr')
const onlyDiagnostics: Shape = (members) => without(members, 'events', 'resultMetaXdr')
const jsonWithType_ =
  (shape: Shape): Shape =>
  (members) =>
    underscored(inJson(shape(members))) as Members

const same: Shape = (members) => members

const shapes: Readonly<Record<string, Shape>> = {
  'since protocol 23': same,
  'since protocol 23, its events alone': onlyEvents,
  'meta V4 alone': onlyMeta,
  'meta V4, its entry changes reversed': (members) => ({
    ...onlyMeta(members),
    resultMetaXdr: reversedChanges(members).toXdr('base64'),
  }),
  'before protocol 23, meta V3': before23,
  'diagnostic events alone': onlyDiagnostics,
  'diagnostic events alone, metrics before them': (members) =>
    onlyDiagnostics(metricsFirst(members)),
  'JSON since protocol 23': inJson,
  'JSON, its events alone, `type_`': jsonWithType_(onlyEvents),
  'JSON of meta V4': (members) => inJson(onlyMeta(members)),
  'JSON of meta V4, `type_`': jsonWithType_(onlyMeta),
  'JSON of meta V3': (members) => inJson(before23(members)),
  'JSON of meta V3, `type_`': jsonWithType_(before23),
  'JSON of diagnostic events': (members) => inJson(onlyDiagnostics(members)),
  'JSON of diagnostic events, `type_`, metrics before them': jsonWithType_((members) =>
    onlyDiagnostics(metricsFirst(members)),
  ),
}

/** A transaction in each shape, by the name of the shape. */
export const inEveryShape = (
  transaction: RawTransaction,
): readonly (readonly [name: string, transaction: RawTransaction])[] =>
  Object.entries(shapes).map(([name, shape]) => [
    name,
    { ...transaction, raw: shape({ ...transaction.raw }) },
  ])
