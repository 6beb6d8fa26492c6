import type { DoctorFacts, ServiceFacts } from '../facts/doctor-facts.ts'
import { catalogProblems } from './catalog.ts'
import { channelChecks, leasableChannels } from './channels.ts'
import type { Check } from './check.ts'
import { paymentChecks } from './payments.ts'
import type { Problem, ReadProblem, ServiceProblem } from './problem.ts'
import { rpcChecks } from './rpc.ts'
import { serviceChecks } from './service.ts'
import { sponsorChecks } from './sponsor.ts'
import { storeChecks } from './store.ts'
import { termsChecks } from './terms.ts'
import { uptoChecks } from './upto.ts'

/*
 * Everything that can be wrong, once: what svc doctor and svc preflight check, /health warns of, /ready and /readyz fail
 * for, and which reasons of a ChannelPool say the same.
 */

/** Made once, in this order, before those of each network. */
export const checksOfService: readonly Check<ServiceFacts>[] = [...serviceChecks, ...storeChecks]

export const checksOfUpto: ReadonlySet<Check<DoctorFacts>> = new Set(uptoChecks)

/** Made for each network. A check can need only earlier ones. */
export const checksOfNetwork: readonly Check<DoctorFacts>[] = [
  ...rpcChecks,
  ...sponsorChecks,
  ...channelChecks,
  leasableChannels,
  ...paymentChecks,
  ...termsChecks,
  ...uptoChecks,
]

/** The problems of a network that a service can find in what it polls. */
export const sharedProblems: readonly Problem[] = checksOfNetwork.flatMap(({ problems }) =>
  problems.filter((problem): problem is Problem => 'find' in problem),
)

type AnyProblem = Problem | ReadProblem<never, never> | ServiceProblem<never>

/** Every problem. */
export const problems: readonly AnyProblem[] = [
  ...checksOfService.flatMap((check): readonly AnyProblem[] => check.problems),
  ...checksOfNetwork.flatMap((check): readonly AnyProblem[] => check.problems),
  ...catalogProblems,
]
