import type { Answer, AnswerHead } from './answer.ts'
import type { Delivery } from './delivery.ts'
import { HttpDeliveries } from './http-deliveries.ts'
import type { DeliveryOptions } from './options.ts'

/** What this uses of the context of Hono. */
interface HonoContext {
  readonly req: { readonly raw: Request }
  get res(): Response
  set res(response: Response | undefined)
}

/** An answer that has no end by then is a stream: it is sent as it comes. */
const STREAM_AFTER_MS = 100

/**
 * Middleware for Hono: `app.use(deliverOnceHono(options))` before the payment middleware.
 *
 * @throws RangeError for a scope that is no name
 */
export function deliverOnceHono(options: DeliveryOptions) {
  const deliveries = new HttpDeliveries(options)
  return async function deliverOnce(
    context: HonoContext,
    next: () => Promise<void>,
  ): Promise<Response | undefined> {
    const { raw } = context.req
    const { pathname, search } = new URL(raw.url)
    const begun = await deliveries.begin({
      method: raw.method,
      url: `${pathname}${search}`,
      header: (name) => raw.headers.get(name) ?? undefined,
      body: (maxBytes) => bodyOf(raw, maxBytes),
      signal: raw.signal,
    })
    if (begun.kind === 'answer') return responseOf(begun.answer)
    if (begun.kind === 'unpaid') {
      await next()
      return undefined
    }
    const { delivery } = begun
    delivery.showHeld(followResponse(context))
    try {
      await delivery.run(next)
    } catch (error) {
      await delivery.abandon()
      throw error
    }
    const kept = await keep(context.res, delivery)
    // Hono puts the headers of a response that it replaces into the new one.
    context.res = undefined
    context.res = kept
    return undefined
  }
}

/** A stock server takes the response out of the context while it settles: this returns the head of the last one that was there. */
function followResponse(context: HonoContext): () => AnswerHead {
  const own = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(context), 'res')
  let last: Response | undefined
  Object.defineProperty(context, 'res', {
    configurable: true,
    get: () => own?.get?.call(context),
    set: (response: Response | undefined) => {
      own?.set?.call(context, response)
      if (response) last = own?.get?.call(context)
    },
  })
  return () => headOf(last ?? context.res)
}

const headOf = ({ status, headers }: Response): AnswerHead => ({ status, headers: [...headers] })

async function bodyOf(request: Request, maxBytes: number): Promise<Uint8Array | undefined> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return undefined
  if (!request.body) return new Uint8Array()
  const reader = request.clone().body!.getReader()
  const chunks: Uint8Array[] = []
  for (let size = 0; ; ) {
    const { value, done } = await reader.read()
    if (done) return Buffer.concat(chunks)
    chunks.push(value)
    size += value.length
    if (size > maxBytes) {
      void reader.cancel()
      return undefined
    }
  }
}

const responseOf = ({ status, headers, body }: Answer): Response => {
  // These have no body, which Response wants to be told.
  const isEmpty = status === 204 || status === 205 || status === 304
  return new Response(isEmpty ? null : Buffer.from(body), {
    status,
    headers: headers.map(([name, value]) => [name, value] as [string, string]),
  })
}

/** Has the delivery keep the response, and returns one that sends the same. */
async function keep(response: Response, delivery: Delivery): Promise<Response> {
  const head = headOf(response)
  if (!response.body) {
    await delivery.complete({ ...head, body: new Uint8Array() })
    return response
  }
  const reader = response.body.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), STREAM_AFTER_MS)
  })
  let reading = reader.read()
  try {
    while (size <= delivery.maxAnswerBytes) {
      const read = await Promise.race([reading, late])
      if (read === 'late') break
      if (read.done) {
        await delivery.complete({ ...head, body: Buffer.concat(chunks) })
        return new Response(Buffer.concat(chunks), response)
      }
      chunks.push(read.value)
      size += read.value.length
      reading = reader.read()
    }
  } catch (error) {
    await delivery.abandon()
    throw error
  } finally {
    clearTimeout(timer)
  }
  await delivery.completeByReceipt(head)
  const rest = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk)
    },
    pull: async (controller) => {
      const { value, done } = await reading
      if (done) return controller.close()
      controller.enqueue(value)
      reading = reader.read()
    },
    cancel: (reason) => reader.cancel(reason),
  })
  return new Response(rest, response)
}
