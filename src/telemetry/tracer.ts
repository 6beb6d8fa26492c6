/** What a span says of itself. Names, codes and hashes; never what a caller sent or a key signed. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

/** What of a request's headers says which trace it belongs to (W3C Trace Context). */
export type TraceHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Where spans go. A span lasts until what its work returns is settled, and fails when that fails. */
export interface Tracer extends AsyncDisposable {
  /** Runs the work as a span of the caller's trace, or of a new one. */
  request<T>(name: string, headers: TraceHeaders, work: () => T): T
  /** Runs the work as a span within the one that is running. */
  span<T>(name: string, attributes: SpanAttributes, work: () => T): T
  /** Adds to the span that is running. */
  note(attributes: SpanAttributes): void
}

/** Of a service that traces nothing. */
export const noTracer: Tracer = {
  request: (_name, _headers, work) => work(),
  span: (_name, _attributes, work) => work(),
  note: () => undefined,
  [Symbol.asyncDispose]: async () => undefined,
}

export interface TracerOptions {
  /** Base URL of an OTLP collector over HTTP. */
  readonly endpoint: string
  /** Of the service. */
  readonly version: string
  /** Told when exporting begins to fail, and of nothing until it has worked again. */
  readonly onError: (error: unknown) => void
}

/** The libraries of tracing are loaded only when there is somewhere to send spans to. */
export async function openTracer(
  endpoint: string | undefined,
  options: Omit<TracerOptions, 'endpoint'>,
): Promise<Tracer> {
  if (endpoint === undefined) return noTracer
  const { OtelTracer } = await import('./otel-tracer.ts')
  return new OtelTracer({ ...options, endpoint })
}
