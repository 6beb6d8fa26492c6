import { cleanLine, cutTo } from '../../../platform/core/text/hostile-text.ts'

export interface FailureAdvice {
  /** Whether the same call may succeed later. */
  readonly retryable: boolean
  /** The advice to the caller of the tool. */
  readonly next: string
}

/** Why a call of a tool failed, by code. */
const toolFailures = {
  invalid_argument: {
    retryable: false,
    next: 'Correct the argument and call the tool again.',
  },
  not_found: {
    retryable: false,
    next: 'Use an id that search_resources returned.',
  },
  rate_limited: {
    retryable: true,
    next: 'Wait a minute, then call the tool again.',
  },
  unavailable: {
    retryable: true,
    next: 'Call the tool again in some seconds. If it fails again, tell the user.',
  },
  unreachable: {
    retryable: true,
    next: 'Tell the user that the service does not answer. The URL in the configuration may be wrong.',
  },
  timed_out: {
    retryable: true,
    next: 'Call the tool again once. If it fails again, tell the user.',
  },
  unexpected_answer: {
    retryable: false,
    next: 'Tell the user: the configured URL may not be that of this service, or of another version.',
  },
  not_configured: {
    retryable: false,
    next: 'Tell the user what is missing. Do not call this tool again.',
  },
} as const satisfies Record<string, FailureAdvice>

export type ToolFailureCode = keyof typeof toolFailures

const MAX_REASON = 300

interface Explained extends ErrorOptions {
  /** Fixed: a program can compare it. */
  readonly code: string
  readonly advice: FailureAdvice
  /** The facts that the caller may rely on beside them, without anything that a seller could write freely. */
  readonly facts?: object | undefined
  /** Text of a seller or a service that explains it: shown in a fence only. */
  readonly said?: object | undefined
}

/** A call that failed as its caller can understand. */
export class ExplainedFailure extends Error implements Explained {
  override readonly name: string = 'ExplainedFailure'
  readonly code: string
  readonly advice: FailureAdvice
  readonly facts: object | undefined
  readonly said: object | undefined

  constructor(reason: string, { code, advice, facts, said, cause }: Explained) {
    super(cutTo(MAX_REASON, cleanLine(reason)), { cause })
    this.code = code
    this.advice = advice
    this.facts = facts
    this.said = said
  }
}

export class ToolFailure extends ExplainedFailure {
  override readonly name = 'ToolFailure'
  declare readonly code: ToolFailureCode

  constructor(
    code: ToolFailureCode,
    reason: string,
    options: Pick<Explained, 'cause' | 'said'> = {},
  ) {
    super(reason, { ...options, code, advice: toolFailures[code] })
  }
}

/** The failure for an error that has an HTTP status: of an answer, or of a fault of this process. */
export function failureOfStatus(
  status: number,
  reason: string,
  options?: Pick<Explained, 'cause' | 'said'>,
): ToolFailure {
  return new ToolFailure(codeOf(status), reason, options)
}

function codeOf(status: number): ToolFailureCode {
  if (status === 404) return 'not_found'
  if (status === 429) return 'rate_limited'
  if (status >= 500) return 'unavailable'
  return status >= 400 ? 'invalid_argument' : 'unexpected_answer'
}
