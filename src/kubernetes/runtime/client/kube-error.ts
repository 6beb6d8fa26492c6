/** The kinds of failure of a call to the API server, and the HTTP statuses of each. */
const kubeErrors = {
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
 * `conflict`: another writer changed the object, it exists already, or a uid did not match.
 * `gone`: the resourceVersion is too old. `unavailable`: any other answer that is not a success.
 * `transport`: no answer, or an unreadable one; `status` is 0 then.
 */
export type KubeErrorKind = keyof typeof kubeErrors

export interface KubeErrorFacts {
  readonly kind: KubeErrorKind
  readonly message: string
  readonly status?: number
  /** The reason that the server gave, such as AlreadyExists or Expired; empty when it gave none. */
  readonly reason?: string
  readonly retryAfterMs?: number | undefined
  readonly cause?: unknown
}

export class KubeError extends Error {
  override readonly name = 'KubeError'
  readonly kind: KubeErrorKind
  readonly status: number
  readonly reason: string
  /** The server's Retry-After. */
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
  /** Method and path: `GET /api/v1/pods`; never the query, headers or body. */
  readonly call: string
}

/**
 * The server answers 500 to an apply with a field that the schema of a built-in kind lacks, and to one with a value that is no quantity.
 * A retry cannot succeed.
 */
const unreadable = ['failed to create typed patch object', 'failed to convert new object']

const MAX_MESSAGE_LENGTH = 500

/** The error of an answer that is not a success. Its message quotes the server's. */
export function errorOfAnswer({ status, retryAfter, body, call }: FailedAnswer): KubeError {
  const answer = parseStatus(body)
  return new KubeError({
    kind: unreadable.some((words) => answer.message.startsWith(words))
      ? 'invalid'
      : kindOfStatus(status),
    status,
    reason: answer.reason,
    message: `${call} answered ${status}: ${answer.message.slice(0, MAX_MESSAGE_LENGTH)}`,
    retryAfterMs: retryAfterMs(retryAfter, answer.retryAfterSeconds),
  })
}

/** The error of a watch event of type ERROR, whose object is a Status. */
export function errorOfStatus(object: unknown, call: string): KubeError {
  const body = JSON.stringify(object)
  return errorOfAnswer({ status: parseStatus(body).code, retryAfter: undefined, body, call })
}

function kindOfStatus(status: number): KubeErrorKind {
  for (const [kind, statuses] of Object.entries<readonly number[]>(kubeErrors)) {
    if (statuses.includes(status)) return kind as KubeErrorKind
  }
  return 'unavailable'
}

function retryAfterMs(header: string | undefined, seconds: number): number | undefined {
  const wait = header === undefined ? seconds : Number(header)
  return Number.isFinite(wait) && wait > 0 ? wait * 1000 : undefined
}

interface StatusAnswer {
  readonly code: number
  readonly reason: string
  readonly message: string
  readonly retryAfterSeconds: number
}

/** Reads a `metav1.Status`; a body that is none becomes the message. */
function parseStatus(body: string): StatusAnswer {
  const status = asRecord(parseJson(body))
  const seconds = asRecord(status['details'])['retryAfterSeconds']
  return {
    code: typeof status['code'] === 'number' ? status['code'] : 0,
    reason: typeof status['reason'] === 'string' ? status['reason'] : '',
    message: typeof status['message'] === 'string' ? status['message'] : body,
    retryAfterSeconds: typeof seconds === 'number' ? seconds : 0,
  }
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    // A proxy in between answers in HTML or plain text.
    return undefined
  }
}

const asRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
