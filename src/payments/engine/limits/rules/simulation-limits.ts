/** Every payment needs a simulation, also one that its simulation refuses: callers share the places for them. */
import { limit } from '../limit.ts'

export const simulationLine = limit({
  name: 'simulation line',
  when: ['simulation'],
  effect: 'error',
  fault: 'rate_limited',
  metric: { name: 'simulationRefusals', labels: { rule: 'line' } },
  sentence:
    'The lines for simulations of its kind are full, and the longest is that of its API key, or of its address without one.',
  message: 'too many payments of this caller wait for a simulation',
  decide: ({ missed }) => missed === 'line full',
})

export const simulationInTime = limit({
  name: 'simulation in time',
  when: ['simulation'],
  effect: 'error',
  fault: 'service_unavailable',
  metric: { name: 'simulationRefusals', labels: { rule: 'late' } },
  sentence: 'None of the places for simulations of its kind became free for it in 5 s.',
  message: 'too many requests wait for the Stellar network',
  decide: ({ missed }) => missed === 'late',
})
