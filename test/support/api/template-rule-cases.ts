import { facilitatorRule as rule } from './facilitator-rule.ts'
import { facilitatorManifest, type Json } from './manifests.ts'
import type { RuleCase } from './rule-cases.ts'

const pods = (given: Json) => facilitatorManifest({ pods: given })
const metadata = (given: Json) => facilitatorManifest({ podTemplate: { metadata: given } })
const tolerations = (given: Json) => pods({ tolerations: [given] })

/** Labels and annotations have the same rules under their present name and their earlier one. */
const names = (
  at: string,
  within: (given: Json) => ReturnType<typeof pods>,
): readonly RuleCase[] => [
  rule(
    at,
    'leave out labels that begin with app.kubernetes.io/ or x402.svc.dev/: the operator sets those',
    {
      accepted: { 'other names': within({ labels: { team: 'a', 'example.com/app': 'b' } }) },
      refused: {
        'a label that pods are found by': within({
          labels: { 'app.kubernetes.io/component': 'a' },
        }),
        'one of ours among others': within({
          labels: { team: 'a', 'x402.svc.dev/facilitator': 'b' },
        }),
      },
    },
  ),
  rule(at, 'leave out annotations that begin with x402.svc.dev/: the operator sets those', {
    accepted: { 'other names': within({ annotations: { 'example.com/note': 'any text: 1' } }) },
    refused: { 'one of ours': within({ annotations: { 'x402.svc.dev/config-hash': 'a' } }) },
  }),
]

export const templateRuleCases: readonly RuleCase[] = [
  ...names('spec.podTemplate.metadata', metadata),
  ...names('spec.pods', pods),
  rule('spec.pods.tolerations[]', 'key must be set, unless operator is Exists', {
    accepted: { 'every taint': tolerations({ operator: 'Exists' }) },
    refused: { 'no taint': tolerations({ value: 'a' }) },
  }),
  rule('spec.pods.tolerations[]', 'leave out value when operator is Exists', {
    accepted: { 'a value to be equal to': tolerations({ key: 'a', value: 'b' }) },
    refused: { 'a value': tolerations({ key: 'a', operator: 'Exists', value: 'b' }) },
  }),
  rule('spec.pods.tolerations[]', 'leave out tolerationSeconds, unless effect is NoExecute', {
    accepted: {
      'NoExecute for a while': tolerations({ key: 'a', effect: 'NoExecute', tolerationSeconds: 5 }),
    },
    refused: {
      'another effect': tolerations({ key: 'a', effect: 'NoSchedule', tolerationSeconds: 5 }),
      'no effect': tolerations({ key: 'a', tolerationSeconds: 5 }),
    },
  }),
]
