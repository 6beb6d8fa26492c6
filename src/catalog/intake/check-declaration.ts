import { parseDeclaration } from '../../payments/protocol/declaration.ts'
import type { NetworkId } from '../../platform/core/caip2.ts'
import { baseAddress } from '../../stellar/accounts/strkey.ts'
import { isJsonObject } from '../declaration/json-values.ts'
import { readDeclaration } from '../declaration/read-declaration.ts'
import { reject } from '../declaration/rejection.ts'
import type { RawDeclaration, ReadDeclaration } from '../listing.ts'
import type { RejectionCode } from '../outcome/codes.ts'
import type { WaitingDeclaration } from '../store/outbox.ts'
import type { DeclarationValidator } from '../validation/declaration-validator.ts'
import type { CheckedDeclaration } from './record-declaration.ts'

export interface CheckDeps {
  readonly validator: DeclarationValidator
  /** Whether an address is an account of this facilitator: it cannot pay for a listing. */
  readonly isOwnAccount: (network: NetworkId, address: string) => boolean | Promise<boolean>
}

/** After this many tries a declaration that fails each time is rejected; with the pauses between them, after ten minutes. */
const MAX_TRIES = 12

/** How many tries a rejection needs that may be no fault of the declaration: of a machine under load, for instance. */
const triesNeeded: Readonly<Partial<Record<RejectionCode, number>>> = {
  bazaar_schema_timeout: 2,
  bazaar_catalog_unavailable: MAX_TRIES,
}

/** Reads a declaration, and checks its payment; `later` when it must be tried again. */
export async function checkDeclaration(
  deps: CheckDeps,
  waiting: WaitingDeclaration,
): Promise<CheckedDeclaration | 'later'> {
  // The tries before may have ended their process.
  if (waiting.tries > MAX_TRIES) {
    const reason =
      'The catalog failed to record the declaration; a later settlement lists the resource.'
    return { waiting, read: reject('bazaar_catalog_unavailable', reason) }
  }
  const raw = parseDeclaration(waiting.body)
  const read = await readOf(deps, waiting, raw)
  if (!read.ok && waiting.tries < (triesNeeded[read.code] ?? 0)) return 'later'
  const url = isJsonObject(raw.resource) ? raw.resource['url'] : undefined
  return { waiting, read, ...(typeof url === 'string' && { resource: url }) }
}

async function readOf(
  { validator, isOwnAccount }: CheckDeps,
  { key: { network, payer }, payTo }: WaitingDeclaration,
  raw: RawDeclaration,
): Promise<ReadDeclaration> {
  const payee = baseAddress(payTo)
  if (baseAddress(payer) === payee) {
    return reject('bazaar_self_payment', 'The payer of the settlement is its payee.')
  }
  if ((await isOwnAccount(network, payee)) || (await isOwnAccount(network, payer))) {
    const reason = 'An account of the facilitator is the payer or the payee of the settlement.'
    return reject('bazaar_self_payment', reason)
  }
  return readDeclaration(raw, { network, payTo }, validator)
}
