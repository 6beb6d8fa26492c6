/** Everything a call to the API server can end in, with the HTTP statuses that each stands for. */
export const kubeErrors = {
  conflict: [409],
  gone: [410],
  notFound: [404],
  invalid: [400, 405, 406, 413, 415, 422],
  forbidden: [401, 403],
  throttled: [429],
  unavailable: [],
  transport: [],
} as const satisfies Record<string, readonly number[]>

/**
 * `conflict`: somebody else changed it, it exists already, or a uid did not match.
 * `gone`: the resourceVersion is too old. `unavailable`: any other answer that is no success.
 * `transport`: no answer, or one that cannot be read; `status` is 0 then.
 */
export type KubeErrorKind = keyof typeof kubeErrors

export interface KubeErrorFacts {
  readonly kind: KubeErrorKind
  readonly message: string
  readonly status?: number
  /** The server's own word, such as AlreadyExists or Expired; empty when it gave none. */
  readonly reason?: string
  readonly retryAfterMs?: number | undefined
  readonly cause?: unknown
}

export class KubeError extends Error {
  override readonly name = 'KubeError'
  readonly kind: KubeErrorKind
  readonly status: number
  readonly reason: string
  /** How long the server asked to be left alone. */
  readonly retryAfterMs: number | undefined

  constructor({ kind, message, status = 0, reason = '', retryAfterMs, cause }: KubeErrorFacts) {
    super(message, { cause })
    this.kind = kind
    this.status = status
    this.reason = reason
    this.retryAfterMs = retryAfterMs
  }
}

export const isKubeError = (
  error: unknown,
  ...kinds: readonly KubeErrorKind[]
): error is KubeError =>
  error instanceof KubeError && (kinds.length === 0 || kinds.includes(error.kind))

export interface FailedAnswer {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly body: string
  /** What was asked, as in `GET /api/v1/pods`; never its query, headers or body. */
  readonly what: string
}

/** An apply with a field that no schema of a built-in kind knows is answered with 500, though it never gets better. */
const untypedApply = 'failed to create typed patch object'

/** The error of an answer that is no success. Its message says what the server said, cut at 500 characters. */
export function errorOfAnswer({ status, retryAfter, body, what }: FailedAnswer): KubeError {
  const said = statusObject(body)
  return new KubeError({
    kind: said.message.startsWith(untypedApply) ? 'invalid' : kindOfStatus(status),
    status,
    reason: said.reason,
    message: `${what} answered ${status}: ${said.message.slice(0, 500)}`,
    retryAfterMs: retryAfterMs(retryAfter, said.retryAfterSeconds),
  })
}

/** The error that a watch tells as an event of type ERROR; its object is a Status. */
export function errorOfStatus(object: unknown, what: string): KubeError {
  const body = JSON.stringify(object)
  return errorOfAnswer({ status: statusObject(body).code, retryAfter: undefined, body, what })
}

export function kindOfStatus(status: number): KubeErrorKind {
  for (const [kind, statuses] of Object.entries<readonly number[]>(kubeErrors)) {
    if (statuses.includes(status)) return kind as KubeErrorKind
  }
  return 'unavailable'
}

function retryAfterMs(header: string | undefined, seconds: number): number | undefined {
  const asked = header === undefined ? seconds : Number(header)
  return Number.isFinite(asked) && asked > 0 ? asked * 1000 : undefined
}

interface Said {
  readonly code: number
  readonly reason: string
  readonly message: string
  readonly retryAfterSeconds: number
}

function statusObject(body: string): Said {
  const status = asRecord(parseOrNothing(body))
  const seconds = asRecord(status['details'])['retryAfterSeconds']
  return {
    code: typeof status['code'] === 'number' ? status['code'] : 0,
    reason: typeof status['reason'] === 'string' ? status['reason'] : '',
    message: typeof status['message'] === 'string' ? status['message'] : body,
    retryAfterSeconds: typeof seconds === 'number' ? seconds : 0,
  }
}

function parseOrNothing(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    // A proxy in between answers in HTML or plain text; then the text itself is the message.
    return undefined
  }
}

const asRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
