import { createHash } from 'node:crypto'
import { StrKey } from '@stellar/stellar-sdk'

const bytesOf = (name: string): Buffer => createHash('sha256').update(name).digest()

/** The account of a name, the same each time. */
export const accountOf = (name: string): string => StrKey.encodeEd25519PublicKey(bytesOf(name))

/** The contract of a name. */
export const contractOf = (name: string): string => StrKey.encodeContract(bytesOf(name))

/** The hash of a name's transaction. */
export const txHashOf = (name: string): string => bytesOf(name).toString('hex')
