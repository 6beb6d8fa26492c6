/** Whether what signs for the sponsor answers, and with the right key. Where the seed is in the process there is nothing to ask. */
import type { SignerProblem } from '../../stellar/accounts/envelope-signer.ts'
import type { NetworkFacts } from '../facts/facts.ts'
import { known, networkCheck } from './check.ts'
import type { Finding, Problem } from './problem.ts'

const todo: Readonly<Record<SignerProblem, string>> = {
  unreachable: 'see that the key service runs, and that this process reaches it',
  denied: 'give this process credentials that the key service accepts',
  no_key: 'see that SPONSOR_SIGNER names the key of SPONSOR_ADDRESS',
  invalid: 'see which program answers where SPONSOR_SIGNER points',
  refused: 'see which rule of the key service forbids it',
}

const failing = (
  { signer }: NetworkFacts,
  isMeant: (problem: SignerProblem) => boolean,
): Finding | undefined => {
  if (signer?.state !== 'fails' || !isMeant(signer.error.problem)) return undefined
  const { problem, message } = signer.error
  const clause = message.charAt(0).toLowerCase() + message.slice(1).replace(/\.$/, '')
  return { says: `${clause}: settlements are refused`, todo: todo[problem] }
}

const keyDiffers: Problem = {
  name: 'signer-key-differs',
  health: 'signer_key_differs',
  ready: 'sponsor',
  stopsSettling: true,
  doctor: 'problem',
  find: (facts) => failing(facts, (problem) => problem === 'no_key'),
}

const unreachable: Problem = {
  name: 'signer-unreachable',
  health: 'signer_unreachable',
  ready: 'sponsor',
  stopsSettling: true,
  doctor: 'problem',
  find: (facts) =>
    facts.signer?.state === 'unknown'
      ? { says: 'the signer has not answered yet', todo: todo.unreachable }
      : failing(facts, (problem) => problem !== 'no_key'),
}

export const signerCheck = networkCheck({
  name: 'signer',
  by: ['doctor', 'preflight'],
  read: () => known(undefined),
  problems: [keyDiffers, unreachable],
  ok: (_, { signer }) =>
    signer ? 'the signer answers with the key of the sponsor' : 'the seed is in the configuration',
})
