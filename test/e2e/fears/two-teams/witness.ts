import { vi } from 'vitest'
import type { OwnShop } from '../../support/own-shop.ts'
import { names } from '../../support/world-places.ts'
import { patchFacilitator } from '../shop.ts'
import { type Watched, watchList } from './watch.ts'

export interface ConditionChange {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly object: string
  readonly type: string
  /** Status and reason. */
  readonly from: string
  readonly to: string
}

export interface Rollout {
  readonly begunAt: number
  /** When the Facilitator said that all pods run the new spec; undefined until then. */
  endedAt?: number
}

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
}

const patience = { timeout: 600_000, interval: 250 }
const LEVELS = ['Debug', 'Info'] as const
/** The conditions that say that a rollout goes on, and the one that stays False and has its reason. */
const OF_A_ROLLOUT = ['Progressing', 'Reconciling', 'Stalled False']

/** Notes every change of the conditions of a team's objects, every event of its namespace, and makes its rollouts. */
export class Witness implements AsyncDisposable {
  readonly #shop: OwnShop
  readonly #opened = new AsyncDisposableStack()
  readonly #conditions = new Map<string, Condition>()
  readonly changes: ConditionChange[] = []
  /** What was said in messages of conditions and in events. */
  readonly sentences = new Set<string>()
  readonly rollouts: Rollout[] = []

  private constructor(shop: OwnShop) {
    this.#shop = shop
  }

  static async open(shop: OwnShop): Promise<Witness> {
    const witness = new Witness(shop)
    const kinds = `/apis/x402.svc.dev/v1beta1/namespaces/${shop.shop}`
    for (const plural of ['facilitators', 'channelpools'])
      witness.#opened.use(
        await watchList(shop.cluster, `${kinds}/${plural}`, (object, isDeleted) =>
          witness.#take(plural, object, isDeleted),
        ),
      )
    const events = `/apis/events.k8s.io/v1/namespaces/${shop.shop}/events`
    witness.#opened.use(
      await watchList(shop.cluster, events, ({ reason, note }) =>
        witness.sentences.add(`event ${reason}: ${note}`),
      ),
    )
    return witness
  }

  /** Changes a setting that pods read. The last rollout must have ended. */
  async beginRollout(): Promise<void> {
    const logLevel = LEVELS[this.rollouts.length % LEVELS.length]
    this.rollouts.push({ begunAt: Date.now() })
    await patchFacilitator(this.#shop, { spec: { logLevel } })
  }

  isRollingOut(): boolean {
    return this.rollouts.some(({ endedAt }) => endedAt === undefined)
  }

  rolloutEnded(): Promise<void> {
    return vi.waitUntil(() => !this.isRollingOut(), patience).then(() => undefined)
  }

  /** Those that no rollout of the team explains. */
  unexplained(): readonly ConditionChange[] {
    return this.changes.filter(
      ({ at, type, to }) =>
        !OF_A_ROLLOUT.includes(type === 'Stalled' ? `${type} ${to.split(' ')[0]}` : type) ||
        !this.rollouts.some(({ begunAt, endedAt = at }) => begunAt <= at && at <= endedAt),
    )
  }

  #take(plural: string, { metadata, status }: Watched, isDeleted: boolean): void {
    const object = `${plural}/${metadata.name}`
    const { conditions = [], observedGeneration } = Object(status)
    const at = Date.now()
    for (const condition of isDeleted ? [] : (conditions as Condition[])) {
      const key = `${object} ${condition.type}`
      const { type, message } = condition
      const from = textOf(this.#conditions.get(key))
      const to = textOf(condition)
      this.#conditions.set(key, condition)
      this.sentences.add(`${type} ${to}: ${message}`)
      if (from !== undefined && from !== to)
        this.changes.push({ at, object, type, from, to: String(to) })
    }
    if (isDeleted) this.changes.push({ at, object, type: 'deleted', from: '', to: '' })
    const last = this.rollouts.at(-1)
    if (last === undefined || last.endedAt !== undefined || metadata.name !== names.facilitator)
      return
    const progress = textOf(this.#conditions.get(`${object} Progressing`))
    const isObserved = observedGeneration === metadata.generation
    if (isObserved && progress === 'False RolledOut' && this.#hasBegun(last)) last.endedAt = at
  }

  /** Its first report of the new generation may come before the first pod is replaced. */
  #hasBegun({ begunAt }: Rollout): boolean {
    return this.changes.some(({ at, type }) => type === 'Progressing' && at >= begunAt)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#opened.disposeAsync()
  }
}

const textOf = (condition: Condition | undefined): string | undefined =>
  condition && `${condition.status} ${condition.reason}`
