import { messageOf } from '../../../platform/core/text/error-message.ts'
import { isKubeError } from '../../runtime/client/kube-error.ts'
import { PortForwardFailed } from '../../runtime/client/port-forward.ts'

/** The RBAC permission that a call to the API server needs. */
export interface Right {
  readonly verb: string
  /** With its group, as `kubectl auth can-i` takes it: `facilitators.x402.svc.dev`, `pods/log`. */
  readonly resource: string
  /** Absent for all namespaces, and for what belongs to none. */
  readonly namespace?: string | undefined
}

/** The value that was read, or the sentence that says why it could not be read. */
export type Attempt<T> =
  | { readonly value: T }
  | { readonly why: string; readonly missing?: Right; readonly isAbsent?: boolean }

/** The API server gave no answer, or does not know the credentials: nothing else can be read either. */
export class ClusterUnreachable extends Error {
  override readonly name = 'ClusterUnreachable'
}

/** Reads; a missing right or object is a value. Throws ClusterUnreachable, and what is no error of the cluster. */
export async function attempt<T>(right: Right, read: () => Promise<T>): Promise<Attempt<T>> {
  try {
    return { value: await read() }
  } catch (error) {
    return explained(error, right)
  }
}

/** The sentence about an error of the cluster. Throws any other error. */
function explained(error: unknown, right: Right): Attempt<never> {
  if (error instanceof PortForwardFailed) {
    if (error.status === 403) return lacking(right)
    return { why: error.message }
  }
  if (!isKubeError(error)) throw error
  if (error.status === 401) {
    throw new ClusterUnreachable(
      'The API server does not accept the credentials of the kubeconfig. Log in to the cluster again.',
      { cause: error },
    )
  }
  if (error.kind === 'forbidden') return lacking(right)
  if (error.kind === 'transport') {
    throw new ClusterUnreachable(
      `${messageOf(error)}. Check the address and that this machine reaches it: kubectl version.`,
      { cause: error },
    )
  }
  return { why: error.message, ...(error.kind === 'notFound' && { isAbsent: true }) }
}

const lacking = (right: Right): Attempt<never> => ({ why: rightSentence(right), missing: right })

function rightSentence({ verb, resource, namespace }: Right): string {
  const where = namespace === undefined ? 'in the cluster' : `in the namespace ${namespace}`
  return `a right is missing: ${verb} ${resource} ${where}`
}

export const valueIn = <T>(attempted: Attempt<T>): T | undefined =>
  'value' in attempted ? attempted.value : undefined
