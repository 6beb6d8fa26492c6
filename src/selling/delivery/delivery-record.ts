import type { Answer } from './answer.ts'

/** What a store keeps for a payment, and for an id. Values are JSON. */
export type DeliveryRecord =
  /** A process serves the first request. */
  | { readonly state: 'running'; readonly binding: string; readonly owner: string }
  /** The answer to each repeat. */
  | { readonly state: 'answered'; readonly binding: string; readonly answer: Answer }

/** Of an id: the only payload that may have it. */
export const encodeId = (payment: string): string => JSON.stringify({ state: 'bound', payment })

export function encodeRecord(record: DeliveryRecord): string {
  if (record.state !== 'answered') return JSON.stringify(record)
  const { answer } = record
  const body = Buffer.from(answer.body).toString('base64')
  return JSON.stringify({ ...record, answer: { ...answer, body } })
}

/**
 * `elsewhere`: the payment bought something that is no answer over HTTP, such as a tool's result.
 *
 * @throws SyntaxError for a value that is no JSON
 */
export function decodeRecord(value: string): DeliveryRecord | { readonly state: 'elsewhere' } {
  const record = JSON.parse(value)
  if (record?.state === 'running') return record
  if (record?.state !== 'answered') return { state: 'elsewhere' }
  const { answer } = record
  return { ...record, answer: { ...answer, body: Buffer.from(answer.body, 'base64') } }
}
