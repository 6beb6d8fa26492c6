import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Context,
  defaultTextMapGetter,
  type Tracer as OtelApiTracer,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { type ExportResult, ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { outsideLogScope } from '../logs/log-scope.ts'
import { onSettled } from './on-settled.ts'
import type { SpanAttributes, TraceHeaders, Tracer, TracerOptions } from './tracer.ts'

/** One export, its retries included. */
const EXPORT_TIMEOUT_MS = 5_000
/** A stop waits this long for the last spans. */
const FLUSH_MS = 3_000

const propagator = new W3CTraceContextPropagator()

/**
 * Sends spans to an OTLP collector, in batches, in the background. Spans that the collector does not
 * accept are dropped: no payment waits for it, and the queue is bounded.
 */
export class OtelTracer implements Tracer {
  readonly #provider: TracerProvider
  readonly #tracer: OtelApiTracer
  readonly #active = new AsyncLocalStorage<Context>()

  constructor({ endpoint, version, onError }: TracerOptions) {
    const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`
    const exporter = new ReportingExporter(
      new OTLPTraceExporter({ url, timeoutMillis: EXPORT_TIMEOUT_MS }),
      onError,
    )
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({ 'service.name': 'svc', 'service.version': version }),
      spanProcessors: [
        new BatchSpanProcessor({ exporter, exportTimeoutMillis: EXPORT_TIMEOUT_MS }),
      ],
    })
    this.#tracer = this.#provider.getTracer('svc', version)
  }

  request<T>(name: string, headers: TraceHeaders, work: () => T): T {
    const parent = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter)
    return this.#run(name, parent, { kind: SpanKind.SERVER }, work)
  }

  span<T>(name: string, attributes: SpanAttributes, work: () => T): T {
    return this.#run(name, this.#active.getStore() ?? ROOT_CONTEXT, { attributes }, work)
  }

  note(attributes: SpanAttributes): void {
    trace.getSpan(this.#active.getStore() ?? ROOT_CONTEXT)?.setAttributes(attributes)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise: over, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, FLUSH_MS)
    // Spans not sent by then are lost; the exporter has reported the failure.
    await Promise.race([over, this.#provider.shutdown().catch(() => undefined)])
    clearTimeout(timer)
  }

  #run<T>(
    name: string,
    parent: Context,
    options: { readonly kind?: SpanKind; readonly attributes?: SpanAttributes },
    work: () => T,
  ): T {
    const span = this.#tracer.startSpan(name, options, parent)
    return onSettled(
      () => this.#active.run(trace.setSpan(parent, span), work),
      (failure) => {
        // The name alone: a message may quote the caller's input.
        const message = failure?.error instanceof Error ? failure.error.name : 'error'
        if (failure) span.setStatus({ code: SpanStatusCode.ERROR, message })
        span.end()
      },
    )
  }
}

/** Reports the first export that fails, then nothing until one has succeeded. */
class ReportingExporter implements SpanExporter {
  readonly #exporter: SpanExporter
  readonly #onError: (error: unknown) => void
  #isFailing = false

  constructor(exporter: SpanExporter, onError: (error: unknown) => void) {
    this.#exporter = exporter
    this.#onError = onError
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    outsideLogScope(() => this.#exporter.export(spans, (result) => this.#exported(result, done)))
  }

  #exported(result: ExportResult, done: (result: ExportResult) => void): void {
    const hasFailed = result.code === ExportResultCode.FAILED
    if (hasFailed && !this.#isFailing) this.#onError(result.error)
    this.#isFailing = hasFailed
    done(result)
  }

  forceFlush(): Promise<void> {
    return this.#exporter.forceFlush?.() ?? Promise.resolve()
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown()
  }
}
