/**
 * Calls a PKCS#11 library ("Cryptoki") through koffi. The layouts are those of PKCS#11 v2.40 (OASIS, sections 3 and 5, pkcs11t.h) for
 * Linux and macOS, where structs have natural alignment and CK_ULONG is `unsigned long`. On Windows both differ: it is not supported.
 */
import type { TypeObject } from 'koffi'
import { messageOf } from '../../platform/core/text/error-message.ts'
import { SignerError } from '../../stellar/accounts/envelope-signer.ts'
import { CKR_OK } from './return-codes.ts'

/** Place of a function in CK_FUNCTION_LIST, and its parameters in C. */
export type Signatures = Readonly<Record<string, readonly [place: number, parameters: string]>>

/** Functions that neither create nor change anything on a token. */
export const signingFunctions = {
  C_Initialize: [0, 'CK_C_INITIALIZE_ARGS *arguments'],
  C_Finalize: [1, 'void *reserved'],
  C_GetSlotList: [4, 'uint8 isTokenPresent, _Out_ ulong *slots, _Inout_ ulong *count'],
  C_GetTokenInfo: [6, 'ulong slot, _Out_ CK_TOKEN_INFO *info'],
  C_OpenSession: [12, 'ulong slot, ulong flags, void *data, void *notify, _Out_ ulong *session'],
  C_Login: [18, 'ulong session, ulong user, uint8 *pin, ulong pinBytes'],
  C_GetAttributeValue: [
    24,
    'ulong session, ulong object, _Inout_ CK_ATTRIBUTE *template, ulong count',
  ],
  C_FindObjectsInit: [26, 'ulong session, CK_ATTRIBUTE *template, ulong count'],
  C_FindObjects: [27, 'ulong session, _Out_ ulong *objects, ulong most, _Out_ ulong *count'],
  C_FindObjectsFinal: [28, 'ulong session'],
  C_SignInit: [42, 'ulong session, CK_MECHANISM *mechanism, ulong key'],
  C_Sign: [
    43,
    'ulong session, uint8 *data, ulong bytes, uint8 *signature, _Inout_ ulong *signatureBytes',
  ],
} as const satisfies Signatures

/** A function of the library returned another code than CKR_OK. */
export class CryptokiError extends Error {
  override readonly name = 'CryptokiError'
  readonly code: number
  readonly calledFunction: string

  constructor(calledFunction: string, code: number) {
    super(`${calledFunction} returned ${code}`)
    this.code = code
    this.calledFunction = calledFunction
  }
}

export interface Cryptoki<Name extends string> {
  /** Calls a function in a thread, so that a library that hangs does not stop this one. Throws CryptokiError. */
  call(name: Name, ...values: readonly unknown[]): Promise<void>
}

type AsyncFunction = { async(...values: readonly unknown[]): void }

const FUNCTIONS = 68

/** Loads a library, once in a process. Throws SignerError when it cannot be loaded. */
export async function loadCryptoki<S extends Signatures>(
  modulePath: string,
  signatures: S,
): Promise<Cryptoki<keyof S & string>> {
  if (process.platform === 'win32') {
    throw new SignerError('unreachable', 'PKCS#11 libraries are not supported on Windows')
  }
  const koffi = await loadKoffi()
  declareStructs(koffi)
  const pointers = functionPointers(koffi, modulePath)
  const functions = new Map(
    Object.entries(signatures).map(([name, [place, parameters]]) => {
      const prototype = koffi.proto(`ulong ${name}(${parameters})`)
      return [name, koffi.decode(pointers[place], prototype) as AsyncFunction]
    }),
  )
  return {
    async call(name, ...values) {
      const { promise, resolve, reject } = Promise.withResolvers<number>()
      functions
        .get(name)!
        .async(...values, (error: Error | null, code: number) =>
          error ? reject(error) : resolve(code),
        )
      const code = Number(await promise)
      if (code !== CKR_OK) throw new CryptokiError(name, code)
    },
  }
}

type Koffi = typeof import('koffi')

async function loadKoffi(): Promise<Koffi> {
  try {
    return await import('koffi')
  } catch (error) {
    throw new SignerError(
      'unreachable',
      `the package koffi, which loads PKCS#11 libraries, is not installed: ${messageOf(error)}`,
    )
  }
}

function declareStructs({ struct, array }: Koffi): void {
  const text = (bytes: number): TypeObject => array('uint8', bytes, 'Typed')
  struct('CK_VERSION', { major: 'uint8', minor: 'uint8' })
  struct('CK_ATTRIBUTE', { type: 'ulong', pValue: 'void *', ulValueLen: 'ulong' })
  struct('CK_MECHANISM', { mechanism: 'ulong', pParameter: 'void *', ulParameterLen: 'ulong' })
  struct('CK_C_INITIALIZE_ARGS', {
    CreateMutex: 'void *',
    DestroyMutex: 'void *',
    LockMutex: 'void *',
    UnlockMutex: 'void *',
    flags: 'ulong',
    pReserved: 'void *',
  })
  struct('CK_TOKEN_INFO', {
    label: text(32),
    manufacturerID: text(32),
    model: text(16),
    serialNumber: text(16),
    flags: 'ulong',
    // Counts of sessions, lengths of PINs and sizes of memory.
    counts: array('ulong', 10),
    hardwareVersion: 'CK_VERSION',
    firmwareVersion: 'CK_VERSION',
    utcTime: text(16),
  })
  struct('CK_FUNCTION_LIST', { version: 'CK_VERSION', functions: array('void *', FUNCTIONS) })
}

function functionPointers(koffi: Koffi, modulePath: string): readonly unknown[] {
  try {
    const library = koffi.load(modulePath)
    const list: unknown[] = [null]
    const code = library.func('ulong C_GetFunctionList(_Out_ void **list)')(list)
    if (code !== CKR_OK) throw new CryptokiError('C_GetFunctionList', code)
    return koffi.decode(list[0], 'CK_FUNCTION_LIST').functions
  } catch (error) {
    if (error instanceof CryptokiError) throw error
    const problem = `cannot load the PKCS#11 library: ${messageOf(error)}`
    throw new SignerError('unreachable', problem)
  }
}
