/**
 * What a store keeps. Under the key of a payment stands its root, which names the first attempt to serve it. Each attempt has a place, which is
 * written once: by the attempt, with what its handler made, or by the next attempt, which so takes over. So of an attempt
 * and its successor one alone stores an answer, whatever either believes of its lease.
 */
export type Root<Answer> =
  | { readonly state: 'begun'; readonly binding: string; readonly token: string }
  /** The answer to each repeat: it is paid for. */
  | Answered<Answer>

export type Place<Made, Answer> =
  /** The attempt with this token has taken over. */
  | { readonly state: 'passed'; readonly token: string }
  /** The attempt has ended without an answer, and the root is being removed, by it or by whoever finds this. */
  | { readonly state: 'freed' }
  /** The attempt settles what it does not store here. */
  | { readonly state: 'settling' }
  /** What the handler made. It may be paid for or not, and is given to nobody before it certainly is. */
  | { readonly state: 'made'; readonly made: Made }
  | Answered<Answer>

interface Answered<Answer> {
  readonly state: 'answered'
  readonly binding: string
  readonly answer: Answer
}

/** The place of an attempt. */
export const placeKey = (key: string, token: string): string => `${key}:attempt:${token}`

/** Exists while the process of an attempt lives; its value is the token of the attempt that has it. */
export const leaseKey = (key: string, token: string): string => `${key}:lease:${token}`

export const encodeRoot = (root: Root<unknown>): string => JSON.stringify(root)
export const encodePlace = (place: Place<unknown, unknown>): string => JSON.stringify(place)

/** @throws SyntaxError or TypeError for the value of another program */
export const decodeRoot = <Answer>(value: string): Root<Answer> =>
  checked(JSON.parse(value), ['begun', 'answered']) as Root<Answer>

/** @throws SyntaxError or TypeError for the value of another program */
export const decodePlace = <Made, Answer>(value: string): Place<Made, Answer> =>
  checked(JSON.parse(value), ['passed', 'freed', 'settling', 'made', 'answered']) as Place<
    Made,
    Answer
  >

function checked(record: unknown, states: readonly string[]): unknown {
  if (states.includes(Object(record).state)) return record
  throw new TypeError('The store has another value under a key of deliveries.')
}
