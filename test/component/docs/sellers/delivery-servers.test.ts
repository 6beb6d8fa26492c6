import { request } from 'node:http'
import { decodePaymentResponseHeader, encodePaymentSignatureHeader } from '@x402/core/http'
import type { PaymentPayload } from '@x402/core/types'
import { appendPaymentIdentifierToExtensions } from '@x402/extensions/payment-identifier'
import { x402HTTPClient } from '@x402/fetch'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFailed } from 'vitest'
import { bareDatabase } from '../../../support/postgres.ts'
import { deliveryServers, sharedProgram } from '../../../support/stock/delivery-servers.ts'
import { type Served, sampledLines } from '../../../support/stock/sellers-folder.ts'
import { forEachLine, type Market } from '../../../support/stock/sellers-stack.ts'
import { reach, stockClient } from '../../../support/stock/stock-client.ts'

/* The adapters of stellar-x402/delivery around the stock servers, with the stock client, two processes and Postgres. */

/** With a body, after whose end a server goes on elsewhere than it began. */
const dies: Sent = { path: '/dies', method: 'POST', body: 'three' }

interface Sent {
  readonly path?: string
  readonly method?: string
  readonly body?: string
}

/** Two processes of one server over one database. */
class Shop implements AsyncDisposable {
  readonly #opened = new AsyncDisposableStack()
  readonly #market: Market
  readonly #program: string
  readonly #variables: Record<string, string>
  readonly processes: Served[] = []

  private constructor(market: Market, program: string, url: string) {
    this.#market = market
    this.#program = program
    this.#variables = { DATABASE_URL: url, PG: import.meta.resolve('pg') }
  }

  static async open(market: Market, program: string): Promise<Shop> {
    const database = await bareDatabase()
    const shop = new Shop(market, program, database.url)
    shop.#opened.use(database)
    await shop.start()
    await shop.start()
    return shop
  }

  async start(): Promise<void> {
    const { folder } = this.#market
    this.processes.push(await folder.serve(this.#program, 0, this.#variables))
  }

  /** Has one more process serve a payment at a path that kills it once the payment is settled. */
  async die(header: string): Promise<void> {
    const { path, method = 'GET', body = '' } = dies
    const { folder } = this.#market
    const variables = { ...this.#variables, DIES: 'yes' }
    await using dying = await folder.serve(this.#program, 0, variables)
    await expect(
      fetch(dying.url + path, {
        method,
        body,
        headers: { 'payment-signature': header, 'content-type': 'text/plain' },
      }),
    ).rejects.toThrow()
    // What a process wrote may arrive after its connections have ended.
    await expect.poll(() => dying.output()).toContain('settled before death')
  }

  /** Kills every process, and starts two new ones. */
  async restart(): Promise<void> {
    for (const each of this.processes.splice(0)) await each[Symbol.asyncDispose]()
    await this.start()
    await this.start()
  }

  /** A payment for the goods, as the stock client signs it, with an id. */
  async payment(change: (payload: PaymentPayload) => void = () => undefined) {
    const { stack, buyer } = this.#market
    const client = stockClient(stack.localnet, buyer)
    const http = new x402HTTPClient(client)
    const { headers } = await fetch(`${this.processes[0]?.url}/goods`)
    const required = http.getPaymentRequiredResponse((name) => headers.get(name))
    appendPaymentIdentifierToExtensions(required.extensions ?? {})
    const payload = await client.createPaymentPayload(required)
    change(payload)
    return { payload, header: encodePaymentSignatureHeader(payload) }
  }

  /** A test that fails before it awaits the answer leaves no rejection that nobody handles. */
  send(header: string, sent: Sent = {}, process = 0) {
    const answer = this.#send(header, sent, process)
    answer.catch(() => undefined)
    return answer
  }

  async #send(header: string, { path = '/goods', ...sent }: Sent, process: number) {
    const response = await fetch(this.processes[process]?.url + path, {
      ...sent,
      headers: { 'payment-signature': header, 'content-type': 'text/plain' },
    })
    const receipt = response.headers.get('payment-response')
    return {
      status: response.status,
      text: await response.text(),
      goods: response.headers.get('x-goods'),
      cookie: response.headers.get('set-cookie'),
      receipt: receipt === null ? undefined : decodePaymentResponseHeader(receipt),
    }
  }

  /** Sends a request, and leaves before the answer, once the handler runs. */
  async leave(header: string, path: string): Promise<void> {
    const sent = request(this.processes[0]?.url + path, {
      headers: { 'payment-signature': header },
    })
    sent.on('error', () => undefined).end()
    await expect.poll(() => this.runs(path)).toBe(1)
    const closed = new Promise((resolve) => sent.once('close', resolve))
    sent.destroy()
    await closed
  }

  /** How often a handler ran, in the processes of now. */
  runs(path: string): number {
    return this.processes
      .flatMap(({ output }) => output().split('\n'))
      .filter((line) => line === `served ${path}`).length
  }

  async letGo(): Promise<void> {
    for (const { url } of this.processes) await fetch(`${url}/let-go`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const each of this.processes) await each[Symbol.asyncDispose]()
    await this.#opened.disposeAsync()
  }
}

forEachLine({ lines: sampledLines(), withProject: true }, (market) => {
  beforeAll(async () => {
    // Undefined where the packages of the line are not installed.
    const { folder, stack } = market() ?? {}
    if (!folder || !stack) return
    reach(stack.localnet)
    await folder.save('shared.mjs', sharedProgram)
    for (const [name, text] of Object.entries(deliveryServers)) {
      await folder.save(`once-${name}.mjs`, text)
    }
  })

  describe.each(Object.keys(deliveryServers))('a server of %s', (framework) => {
    let shop: Shop
    beforeAll(async () => {
      if (market()) shop = await Shop.open(market(), `once-${framework}.mjs`)
    })
    // The next try starts with processes that have served nothing.
    beforeEach(() => onTestFailed(() => shop.restart()))
    afterAll(() => shop?.[Symbol.asyncDispose]())

    it('serves one payment in twenty calls at once, to two processes, once', async () => {
      const { seller, balanceOf } = market()
      const before = await balanceOf(seller.address)
      const { header } = await shop.payment()

      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          shop.send(header, { method: 'POST', body: 'two' }, at % 2),
        ),
      )

      const [first] = answers
      expect(first).toMatchObject({ status: 200, goods: 'yes', receipt: { success: true } })
      expect(JSON.parse(first?.text ?? '')).toMatchObject({ path: '/goods', body: 'two' })
      for (const { cookie: _, ...answer } of answers) expect(first).toMatchObject(answer)
      expect(answers.filter(({ cookie }) => cookie !== null)).toHaveLength(1)
      expect(shop.runs('/goods')).toBe(1)
      expect(await balanceOf(seller.address)).toBe(before + 100_000n)
    })

    it('gives a lost answer to the same request only, also when its payment has expired and after a restart', async () => {
      const { stack } = market()
      const { payload, header } = await shop.payment()
      await shop.leave(header, '/held')
      const waiting = shop.send(header, { path: '/held' }, 1)
      await shop.letGo()
      const answer = await waiting
      expect(answer).toMatchObject({ status: 200, receipt: { success: true }, cookie: null })
      expect(shop.runs('/held')).toBe(1)

      const other = await shop.payment(({ extensions }) => {
        Object.assign(extensions ?? {}, payload.extensions)
      })
      for (const [sent, wish] of [
        [other.header, { path: '/held' }],
        [header, { path: '/goods' }],
        [header, { path: '/held?n=2' }],
        [header, { path: '/held', method: 'POST' }],
        [header, { path: '/held', method: 'POST', body: 'more' }],
      ] as const) {
        expect(await shop.send(sent, wish)).toMatchObject({
          status: 409,
          text: expect.stringContaining('payment_identifier_conflict'),
        })
      }

      // A ledger counts as five seconds in what the client signs for 120 seconds.
      for (let ledgers = 0; ledgers < 27; ledgers++) await stack.localnet.closeLedger()
      await shop.restart()
      expect(await shop.send(header, { path: '/held' })).toEqual(answer)
      expect(shop.runs('/held')).toBe(0)
    })

    it('gives what a process made that died after the settlement, also when the payment has expired', async () => {
      const { stack, seller, balanceOf } = market()
      const before = await balanceOf(seller.address)
      const { header } = await shop.payment()
      await shop.die(header)
      for (let ledgers = 0; ledgers < 20; ledgers++) await stack.localnet.closeLedger()

      const [answer, again] = await Promise.all([0, 1].map((at) => shop.send(header, dies, at)))

      expect(answer).toMatchObject({ status: 200, goods: 'yes', receipt: { success: true } })
      expect(JSON.parse(answer?.text ?? '')).toMatchObject({
        path: '/dies',
        body: 'three',
        runs: 1,
      })
      expect(again).toEqual(answer)
      expect(shop.runs('/dies')).toBe(0)
      expect(await balanceOf(seller.address)).toBe(before + 100_000n)
    })

    it('serves a payment again whose handler failed, and after that no more', async () => {
      const { header } = await shop.payment()
      expect(await shop.send(header, { path: '/fails' })).toMatchObject({ status: 500 })
      const sold = await shop.send(header, { path: '/fails' })
      expect(sold).toMatchObject({ status: 200, receipt: { success: true } })
      const again = await shop.send(header, { path: '/fails' }, 1)
      expect(again).toEqual({ ...sold, cookie: null })
      expect(shop.runs('/fails')).toBe(2)
    })

    it('keeps the receipt of a large answer', async () => {
      const { header } = await shop.payment()
      const sold = await shop.send(header, { path: '/large' })
      expect(sold.text).toHaveLength(300_000)
      const again = await shop.send(header, { path: '/large' }, 1)
      expect(again).toMatchObject({
        status: 410,
        receipt: sold.receipt,
        text: expect.stringContaining('answer_not_kept'),
      })
      expect(shop.runs('/large')).toBe(1)
    })

    it('keeps of a stream what the stock server makes of it', async () => {
      const { header } = await shop.payment()
      const before = shop.runs('/stream')
      const streamed = shop.send(header, { path: '/stream' })
      // A repeat that comes before the claim would be the call that is served, and wait for its own end.
      await expect.poll(() => shop.runs('/stream')).toBe(before + 1)
      // Only Fastify sends parts before the last is there: the others settle a whole answer.
      if (framework === 'fastify') {
        await expect
          .poll(async () => (await shop.send(header, { path: '/stream' }, 1)).status)
          .toBe(410)
      }
      await shop.letGo()
      const sold = await streamed
      expect(sold).toMatchObject({ status: 200, text: 'first second' })
      const again = await shop.send(header, { path: '/stream' }, 1)
      expect(again).toMatchObject({
        status: framework === 'fastify' ? 410 : 200,
        receipt: sold.receipt,
      })
    })

    it('has no payment served whose id is none', async () => {
      const { header } = await shop.payment(({ extensions }) => {
        Object.assign(extensions ?? {}, { 'payment-identifier': { info: { id: 'short' } } })
      })
      expect(await shop.send(header)).toMatchObject({
        status: 400,
        text: expect.stringContaining('payment_identifier_invalid'),
      })
    })
  })
})
