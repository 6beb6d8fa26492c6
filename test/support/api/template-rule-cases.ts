import { facilitatorRule as rule } from './facilitator-rule.ts'
import { facilitatorManifest, type Json } from './manifests.ts'
import type { RuleCase } from './rule-cases.ts'

const metadata = (given: Json) => facilitatorManifest({ podTemplate: { metadata: given } })

export const templateRuleCases: readonly RuleCase[] = [
  rule(
    'spec.podTemplate.metadata',
    'leave out labels that begin with app.kubernetes.io/ or x402.svc.dev/: the operator sets those',
    {
      accepted: { 'other names': metadata({ labels: { team: 'a', 'example.com/app': 'b' } }) },
      refused: {
        'a label that pods are found by': metadata({
          labels: { 'app.kubernetes.io/component': 'a' },
        }),
        'one of ours among others': metadata({
          labels: { team: 'a', 'x402.svc.dev/facilitator': 'b' },
        }),
      },
    },
  ),
  rule(
    'spec.podTemplate.metadata',
    'leave out annotations that begin with x402.svc.dev/: the operator sets those',
    {
      accepted: {
        'other names': metadata({ annotations: { 'example.com/note': 'any text: 1' } }),
      },
      refused: { 'one of ours': metadata({ annotations: { 'x402.svc.dev/config-hash': 'a' } }) },
    },
  ),
]
