/** A key service at a socket that has the right key, says so, and signs otherwise when a test wants it to. */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { TransactionBuilder } from '@stellar/stellar-sdk'
import { passphrases } from '../../../src/platform/core/caip2.ts'
import { randomSigner, type Signer } from '../../../src/stellar/accounts/signer.ts'

type Lie =
  | 'none'
  | 'signs another hash'
  | 'signs with another key'
  | 'gives the same signature to all'

export interface LyingSigner extends AsyncDisposable {
  /** While it lies, it does not answer who asks for its key: so the failure lasts until a test has seen it. */
  tell(lie: Lie): void
  /** Requests to sign, so far. */
  readonly asked: number
}

export async function startLyingSigner(socketPath: string, key: Signer): Promise<LyingSigner> {
  const other = randomSigner()
  let asked = 0
  let lie: Lie = 'none'
  let first: string | undefined
  let honest = Promise.withResolvers<void>()
  honest.resolve()
  const signature = (hash: Uint8Array): string => {
    asked += 1
    const truth = base64(key.sign(hash))
    first ??= truth
    switch (lie) {
      case 'none':
        return truth
      case 'signs another hash':
        return base64(key.sign(hash.map((byte) => byte ^ 1)))
      case 'signs with another key':
        return base64(other.sign(hash))
      case 'gives the same signature to all':
        return first
    }
  }
  const answer = async (request: IncomingMessage): Promise<object> => {
    if (request.url === '/v1/key') {
      await honest.promise
      return { publicKey: key.address }
    }
    const { requests } = JSON.parse(await text(request)) as {
      requests: readonly { readonly envelope: string }[]
    }
    const hashes = requests.map(({ envelope }) => hashOf(envelope))
    return { results: hashes.map((hash) => ({ signature: signature(hash) })) }
  }
  const server = createServer(async (request, response) => {
    response.end(JSON.stringify(await answer(request)))
  })
  server.listen(socketPath)
  await once(server, 'listening')
  return {
    get asked() {
      return asked
    },
    tell: (next) => {
      lie = next
      if (lie === 'none') honest.resolve()
      else honest = Promise.withResolvers()
    },
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close().closeAllConnections()
      await closed
    },
  }
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

const hashOf = (envelope: string): Uint8Array =>
  TransactionBuilder.fromXdr(envelope, passphrases['stellar:testnet']).hash()
