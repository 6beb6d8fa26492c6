import { z } from 'zod'
import { type CelRule, validations } from '../fields/cel.ts'
import { atomicList, preserveUnknown, unchecked } from '../fields/fields.ts'

/* Peers and rules of a NetworkPolicy, which the API server validates when the operator applies it. */

const range = () =>
  z
    .string()
    .max(64)
    .meta(
      validations({
        rule: 'isCIDR(self)',
        message: 'must be a range of addresses, such as 10.0.0.0/8 or 2001:db8::/32',
        reason: 'FieldValueInvalid',
      }),
    )

const ipBlock = z
  .looseObject({
    cidr: range().describe('The range of addresses.'),
    except: z
      .array(range().describe('A range within it.'))
      .max(32)
      .meta(atomicList)
      .optional()
      .describe('Ranges within it that do not count.'),
  })
  .meta(preserveUnknown)

const isSet: CelRule = {
  rule: 'has(self.podSelector) || has(self.namespaceSelector) || has(self.ipBlock)',
  message: 'set podSelector, namespaceSelector or ipBlock; leave out the whole list for everyone',
  reason: 'FieldValueInvalid',
}

const isOfOneKind: CelRule = {
  rule: '!has(self.ipBlock) || !has(self.podSelector) && !has(self.namespaceSelector)',
  message: 'set ipBlock alone: selectors of pods beside it belong in an entry of their own',
  reason: 'FieldValueInvalid',
  fieldPath: '.ipBlock',
}

const peers = () =>
  z
    .array(
      z
        .object({
          podSelector: unchecked().optional().describe('Pods, by their labels.'),
          namespaceSelector: unchecked().optional().describe('Namespaces, by their labels.'),
          ipBlock: ipBlock.optional().describe('Addresses: cidr and except.'),
        })
        .meta(validations(isSet, isOfOneKind))
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
