import type { OwnedPart } from '../../runtime/apply/managed-fields.ts'
import type { ChildKind } from './child-kinds.ts'

/** `kubectl rollout restart` writes it: a person wants new pods, and they run what the operator asks for. */
const restarted = [
  'spec',
  'template',
  'metadata',
  'annotations',
  'kubectl.kubernetes.io/restartedAt',
] as const

/**
 * Parts of children in which nothing may be added: a container, a variable or a volume of another manager would run
 * beside the seeds of sponsors, and an added rule of a policy would open it. Admission webhooks may change them.
 */
const parts: Partial<Readonly<Record<ChildKind, readonly OwnedPart[]>>> = {
  Deployment: [{ path: ['spec', 'template'], except: [restarted] }],
  PodDisruptionBudget: [{ path: ['spec'] }],
  NetworkPolicy: [{ path: ['spec'] }],
}

export const ownedParts = (kind: ChildKind): readonly OwnedPart[] => parts[kind] ?? []
