/** Attributes of a span: names, codes and hashes, never a caller's input or a signature. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

/** A request's headers, which may name the trace it belongs to (W3C Trace Context). */
export type TraceHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Records spans. A span ends when the result of its work is settled, and fails with it. */
export interface Tracer extends AsyncDisposable {
  /** Runs the work as a span of the caller's trace, or of a new one. */
  request<T>(name: string, headers: TraceHeaders, work: () => T): T
  /** Runs the work as a child of the current span. */
  span<T>(name: string, attributes: SpanAttributes, work: () => T): T
  /** Adds to the current span. */
  note(attributes: SpanAttributes): void
}

/** Traces nothing. */
export const noTracer: Tracer = {
  request: (_name, _headers, work) => work(),
  span: (_name, _attributes, work) => work(),
  note: () => undefined,
  [Symbol.asyncDispose]: async () => undefined,
}

export interface TracerOptions {
  /** Base URL of an OTLP collector over HTTP. */
  readonly endpoint: string
  /** Version of the service. */
  readonly version: string
  /** Called when an export fails, then not again until one has succeeded. */
  readonly onError: (error: unknown) => void
}
