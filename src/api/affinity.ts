import { z } from 'zod'

/*
 * Affinity is the one thing passed to pods unseen: its full schema would be half of the definition.
 * The API server judges it when the operator applies the Deployment, and the Facilitator reports
 * what it said.
 */
const passedOn = () =>
  z.looseObject({}).meta({ 'x-kubernetes-preserve-unknown-fields': true, maxProperties: 2 })

export const affinity = z.object({
  nodeAffinity: passedOn().optional().describe('Which nodes pods run on, as in a pod.'),
  podAffinity: passedOn().optional().describe('Which pods they run beside, as in a pod.'),
  podAntiAffinity: passedOn().optional().describe('Which pods they keep away from, as in a pod.'),
})
