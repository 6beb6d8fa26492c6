import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { openPkcs11 } from '../../../src/signing/pkcs11/open-pkcs11.ts'
import type { Pkcs11Place } from '../../../src/signing/signer-place.ts'
import { verifyBytes } from '../../../src/stellar/accounts/ed25519.ts'
import type { SigningRequest } from '../../../src/stellar/accounts/envelope-signer.ts'
import type { SoftHsmToken } from '../../support/softhsm/start-token.ts'

const never = new AbortController().signal
/** The problem of a signal to a process that is gone. */
export const NO_PROCESS = 'ESRCH'

export const requestsOf = (count: number): readonly SigningRequest[] =>
  Array.from({ length: count }, () => ({
    network: 'stellar:testnet',
    purpose: 'settlement',
    hash: randomBytes(32),
    kind: 'transaction',
    envelopeXdr: '',
  }))

/** A service for the token, and the ids of the processes that it has started. */
export function serviceOf(token: SoftHsmToken, changes: Partial<Pkcs11Place> = {}) {
  const pids: number[] = []
  const service = openPkcs11(
    { ...token.place, ...changes },
    { environment: token.environment, onProcess: (pid) => pids.push(pid) },
  )
  const publicKey = () => service.publicKey(never)
  const sign = (requests: readonly SigningRequest[]) => service.sign(requests, never)
  return {
    pids,
    publicKey,
    sign,
    service,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

export function problemOfSignal(pid: number): string | undefined {
  try {
    process.kill(pid, 0)
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code
  }
}

export const isGone = (pid: number) => expect.poll(() => problemOfSignal(pid)).toBe(NO_PROCESS)

export async function expectSignatures(
  { sign }: ReturnType<typeof serviceOf>,
  publicKey: Uint8Array,
  count = 1,
): Promise<void> {
  const requests = requestsOf(count)
  const results = await sign(requests)
  expect(
    results.map(
      (result, index) =>
        result.ok && verifyBytes(requests[index]!.hash, publicKey, result.signature),
    ),
  ).toEqual(requests.map(() => true))
}
