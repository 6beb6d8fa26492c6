import { type NetworkId, passphrases } from '../../platform/core/caip2.ts'
import type { Endpoint, EndpointAnswer } from './doctor-facts.ts'

interface AnsweringEndpoint {
  readonly name: string
  readonly answer: EndpointAnswer
}
export type Answers = readonly AnsweringEndpoint[]

const answering = (endpoints: readonly Endpoint[]): Answers =>
  endpoints.flatMap(({ name, answer }) => (answer.ok ? [{ name, answer: answer.value }] : []))

const serves = ({ answer }: AnsweringEndpoint, network: NetworkId): boolean =>
  answer.passphrase === passphrases[network]

/** The endpoints that answer and serve the right network. */
export const usable = (endpoints: readonly Endpoint[], network: NetworkId): Answers =>
  answering(endpoints).filter((endpoint) => serves(endpoint, network))

/** The endpoints that answer and serve another network. */
export const foreign = (endpoints: readonly Endpoint[], network: NetworkId): Answers =>
  answering(endpoints).filter((endpoint) => !serves(endpoint, network))

/** Why each endpoint that does not answer does not, with its name. */
export const silentOf = (endpoints: readonly Endpoint[]): readonly string[] =>
  endpoints.flatMap(({ name, answer }) => (answer.ok ? [] : [`${name}: ${answer.why}`]))
