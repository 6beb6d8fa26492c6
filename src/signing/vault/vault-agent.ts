import { readFile } from 'node:fs/promises'
import { Agent, type Dispatcher } from 'undici'
import { SignerError } from '../../stellar/accounts/envelope-signer.ts'

const CONNECT_MS = 5_000
const MAX_HEADER_BYTES = 16 * 1024

/** Connections to one Vault. Each use reads the CA file: after a change all further connections trust its new content alone. */
export class VaultAgent implements AsyncDisposable {
  readonly #caFile: string | undefined
  #open: { readonly ca: string | undefined; readonly agent: Agent } | undefined
  #disposed = false

  /** @param caFile PEM. Undefined: the authorities that Node trusts */
  constructor(caFile: string | undefined) {
    this.#caFile = caFile
  }

  async dispatcher(): Promise<Dispatcher> {
    const ca = await this.#readCa()
    if (this.#disposed) throw new SignerError('unreachable', 'the connection to Vault is closed')
    if (this.#open && this.#open.ca === ca) return this.#open.agent
    // Its requests under way end as usual; connections that idle are closed.
    void this.#open?.agent.close()
    const agent = new Agent({
      connect: { ...(ca !== undefined && { ca }), minVersion: 'TLSv1.2', timeout: CONNECT_MS },
      // The limit of headers holds for HTTP/1.1 only.
      allowH2: false,
      maxHeaderSize: MAX_HEADER_BYTES,
    })
    this.#open = { ca, agent }
    return agent
  }

  async #readCa(): Promise<string | undefined> {
    if (this.#caFile === undefined) return undefined
    try {
      return await readFile(this.#caFile, 'utf8')
    } catch (cause) {
      const code = Object(cause).code ?? 'unknown error'
      throw new SignerError('unreachable', `cannot read the CA file ${this.#caFile} (${code})`, {
        cause,
      })
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true
    await this.#open?.agent.destroy()
  }
}
