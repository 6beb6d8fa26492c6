import type { Answer } from './answer.ts'

/** What a store keeps for a payment, and for an id. Values are JSON. */
export type DeliveryRecord =
  /** A process serves the first request. */
  | { readonly state: 'running'; readonly binding: string; readonly owner: string }
  /** The answer to each repeat. */
  | { readonly state: 'answered'; readonly binding: string; readonly answer: Answer }
  /** Of an id: the only payload that may have it. */
  | { readonly state: 'bound'; readonly payment: string }

export function encodeRecord(record: DeliveryRecord): string {
  if (record.state !== 'answered') return JSON.stringify(record)
  const { answer } = record
  const body = Buffer.from(answer.body).toString('base64')
  return JSON.stringify({ ...record, answer: { ...answer, body } })
}

/** @throws Error for a value that this did not encode: another program writes to the same keys */
export function decodeRecord(value: string): DeliveryRecord {
  const record = JSON.parse(value)
  if (!['running', 'answered', 'bound'].includes(record?.state)) {
    throw new Error('The store has a value of another program under the key of a payment.')
  }
  if (record.state !== 'answered') return record
  const { answer } = record
  return { ...record, answer: { ...answer, body: Buffer.from(answer.body, 'base64') } }
}
