/**
 * The process that holds a PKCS#11 library: a library that hangs or crashes stops this process alone. It opens the token with the first
 * request, and ends with its parent.
 */
import { SignerError } from '../../stellar/accounts/envelope-signer.ts'
import { CryptokiError, loadCryptoki, signingFunctions } from './cryptoki.ts'
import type { LibraryAnswer, LibraryRequest } from './messages.ts'
import { meaningOf } from './return-codes.ts'
import { Token } from './token.ts'
import { PinRefused, readPin } from './token-pin.ts'

type Library = Awaited<ReturnType<typeof loadLibrary>>

let library: Library | undefined
let token: Token | undefined

// The parent decides when this process ends: while it drains, it still signs. Ctrl-C reaches both.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
// Also when the parent was killed. A call that hangs in the library would delay any other end.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
process.on('message', (request: LibraryRequest) => void answer(request).then(send))

// A parent that has gone hears no answer, and this process ends with it.
const send = (message: LibraryAnswer) => process.send?.(message, undefined, {}, () => undefined)

async function answer(request: LibraryRequest): Promise<LibraryAnswer> {
  try {
    token ??= await openToken(request)
    const values = request.hashes ? await token.sign(request.hashes) : [await token.publicKey()]
    return { ok: true, values }
  } catch (error) {
    // Frees the session on the token: the parent starts a new process after an error.
    await library?.call('C_Finalize', null).catch(() => undefined)
    return failureOf(error)
  }
}

async function openToken({ place, refusedPin }: LibraryRequest): Promise<Token> {
  const pin = await readPin(place.pinFile, refusedPin)
  library = await loadLibrary(place.modulePath)
  return Token.open(library, place, pin)
}

const loadLibrary = (modulePath: string) => loadCryptoki(modulePath, signingFunctions)

function failureOf(error: unknown): LibraryAnswer {
  if (error instanceof CryptokiError) {
    return { ok: false, ...meaningOf(error.code, error.calledFunction) }
  }
  if (error instanceof SignerError) {
    const refusedPin = error instanceof PinRefused ? error.digest : undefined
    return { ok: false, problem: error.problem, message: error.message, refusedPin }
  }
  return { ok: false, problem: 'unreachable', message: `the PKCS#11 library failed: ${error}` }
}
