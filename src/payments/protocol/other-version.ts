import { X402_VERSION } from './answer-schemas.ts'

/** A request whose version is not 2, whatever its shape. */
export interface OtherVersion {
  /** One sentence that names the version. */
  readonly message: string
  /** The network that the request names; empty when it names none. */
  readonly network: string
}

/**
 * Whether a body in the wrong shape is a request of another version of x402, or of none. Version 1 calls
 * the price `maxAmountRequired` and has scheme and network in the payload itself, so that the shape
 * alone would blame members which its callers never heard of.
 */
export function otherVersion(body: unknown): OtherVersion | undefined {
  const payment = member(body, 'paymentPayload')
  const isPayment = isObject(payment) && isObject(member(body, 'paymentRequirements'))
  const stated = [
    ['x402Version', member(body, 'x402Version')],
    ...(isObject(payment)
      ? [['paymentPayload.x402Version', member(payment, 'x402Version')] as const]
      : []),
  ] as const
  for (const [name, version] of stated) {
    const isMissing = isPayment && (version ?? undefined) === undefined
    const isOther = typeof version === 'number' && version !== X402_VERSION
    if (!isMissing && !isOther) continue
    const actual = isMissing ? 'missing' : version
    return { message: `${name} is ${actual}, expected ${X402_VERSION}`, network: networkOf(body) }
  }
  return undefined
}

/** In version 1 the payload names the network itself. */
function networkOf(body: unknown): string {
  const network =
    member(member(body, 'paymentRequirements'), 'network') ??
    member(member(body, 'paymentPayload'), 'network')
  return typeof network === 'string' ? network : ''
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const member = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
