import { StrKey, xdr } from '@stellar/stellar-sdk'
import { nameOf } from './accounts.ts'

/** `'XLM: symbol transfer, address alice, address bob, string native, i128 5'`: emitter, topics, data. */
export function eventText(event: Uint8Array): string {
  const { contractId, body } = xdr.ContractEvent.fromXdr(event)
  const emitter = contractId ? nameOf(StrKey.encodeContract(contractId.value)) : 'nobody'
  return `${emitter}: ${[...body.v0.topics, body.v0.data].map(textOf).join(', ')}`
}

/** With its type; addresses are names. */
const textOf = (value: xdr.ScVal): string =>
  value.type === 'scvMap'
    ? `{${value.map?.map(({ key, val }) => `${textOf(key)} = ${textOf(val)}`).join(', ')}}`
    : Object.entries(Object(value.toJson()))
        .map(([type, it]) => `${type} ${named(String(it))}`)
        .join()

/** An asset is written as its code and its issuer. */
const named = (text: string): string => text.split(':').map(nameOf).join(':')
