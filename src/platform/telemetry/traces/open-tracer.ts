import { noTracer, type Tracer, type TracerOptions } from './tracer.ts'

/** Loads the tracing libraries only when there is an endpoint. */
export async function openTracer(
  endpoint: string | undefined,
  options: Omit<TracerOptions, 'endpoint'>,
): Promise<Tracer> {
  if (endpoint === undefined) return noTracer
  const { OtelTracer } = await import('./otel-tracer.ts')
  return new OtelTracer({ ...options, endpoint })
}
