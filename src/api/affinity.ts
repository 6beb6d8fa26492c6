import { z } from 'zod'

/*
 * Affinity is passed to pods unchecked: its full schema would be half of the definition. The API server
 * validates it when the operator applies the Deployment, and the Facilitator reports the error.
 */
const unchecked = () =>
  z.looseObject({}).meta({ 'x-kubernetes-preserve-unknown-fields': true, maxProperties: 2 })

export const affinity = z.object({
  nodeAffinity: unchecked().optional().describe('Which nodes pods run on, as in a pod.'),
  podAffinity: unchecked().optional().describe('Which pods to run near, as in a pod.'),
  podAntiAffinity: unchecked().optional().describe('Which pods to stay away from, as in a pod.'),
})
