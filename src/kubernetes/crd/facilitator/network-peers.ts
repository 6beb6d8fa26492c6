import { z } from 'zod'
import { atomicList, unchecked } from '../fields/fields.ts'

/* Peers and rules of a NetworkPolicy, which the API server validates when the operator applies it. */

const peers = () =>
  z
    .array(
      z
        .object({
          podSelector: unchecked().optional().describe('Pods, by their labels.'),
          namespaceSelector: unchecked().optional().describe('Namespaces, by their labels.'),
          ipBlock: unchecked().optional().describe('Addresses: cidr and except.'),
        })
        .describe('One peer of a NetworkPolicy.'),
    )
    .max(32)
    .meta(atomicList)

const rules = () =>
  z.array(unchecked().describe('One rule of a NetworkPolicy.')).max(32).meta(atomicList).optional()

export const networkPolicyFields = {
  clients: peers()
    .optional()
    .describe('Who may send payments; everyone inside and outside the cluster when absent.'),
  monitoring: peers()
    .optional()
    .describe('Who may read metrics; the pods of every namespace when absent.'),
  extraIngress: rules().describe('Further rules of what the pods of every part accept.'),
  extraEgress: rules().describe('Further rules of what the pods of every part connect to.'),
}
