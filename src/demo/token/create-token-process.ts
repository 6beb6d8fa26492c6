/** The process that creates a token: what it is given is a TokenCreation. */
import { loadCryptoki } from '../../signing/pkcs11/cryptoki.ts'
import type { TokenCreation } from './create-token.ts'
import { adminFunctions, generateKeys, initialize, logIn, withLibrary } from './token-admin.ts'
import { givenToProgram } from './token-program.ts'

const given = givenToProgram<TokenCreation>()
const library = await loadCryptoki(given.modulePath, adminFunctions)
if (given.create) {
  const point = await withLibrary(library, async () => {
    await initialize(library, given, given.soPin)
    return generateKeys(library, await logIn(library, given), given.key)
  })
  process.stdout.write(point.toString('hex'))
}
