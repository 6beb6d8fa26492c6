/** The controller runtime as one module, for programs that import it as a whole. docs/kube-runtime.md explains it. */
export {
  type Applier,
  type ApplierOptions,
  createApplier,
} from '../kubernetes/runtime/apply/apply.ts'
export {
  addFinalizer,
  hasFinalizer,
  removeFinalizer,
} from '../kubernetes/runtime/apply/finalizers.ts'
export {
  type ListSchema,
  type MergeKeys,
  mergeKeysOf,
} from '../kubernetes/runtime/apply/merge-keys.ts'
export {
  createStatusWriter,
  type StatusWriter,
  type StatusWriterOptions,
} from '../kubernetes/runtime/apply/status-writer.ts'
export { strategicMerge } from '../kubernetes/runtime/apply/strategic-merge.ts'
export {
  createInformer,
  type Informer,
  type InformerOptions,
} from '../kubernetes/runtime/cache/informer.ts'
export { OwnWrites } from '../kubernetes/runtime/cache/own-writes.ts'
export {
  byController,
  controllerOf,
  ownedKey,
  ownerKeys,
} from '../kubernetes/runtime/cache/owners.ts'
export type { Change, Index, ReadStore } from '../kubernetes/runtime/cache/store.ts'
export { Turns } from '../kubernetes/runtime/cache/turns.ts'
export {
  type ClientOptions,
  createClient,
  type KubeClient,
  type Selection,
} from '../kubernetes/runtime/client/client.ts'
export {
  type ConnectionOptions,
  type KubeConnection,
  openConnection,
} from '../kubernetes/runtime/client/connection.ts'
export {
  createDiscovery,
  type Discovery,
  type DiscoveryOptions,
} from '../kubernetes/runtime/client/discovery.ts'
export {
  isKubeError,
  KubeError,
  type KubeErrorKind,
} from '../kubernetes/runtime/client/kube-error.ts'
export {
  type Controller,
  type ControllerOptions,
  createController,
  type Reconcile,
  type ReconcileRequest,
} from '../kubernetes/runtime/controller/controller.ts'
export { again, type Outcome, settled, stuck } from '../kubernetes/runtime/controller/outcome.ts'
export {
  any,
  changedByOthers,
  type Predicate,
  primaryChanged,
} from '../kubernetes/runtime/controller/predicates.ts'
export type { RunSignals } from '../kubernetes/runtime/controller/run-signals.ts'
export {
  createElector,
  type ElectionEnd,
  type Elector,
  type ElectorOptions,
  type Term,
} from '../kubernetes/runtime/election/election.ts'
export {
  createEventRecorder,
  type EventFacts,
  type EventRecorder,
  type EventRecorderOptions,
} from '../kubernetes/runtime/events/events.ts'
export type { Logger } from '../kubernetes/runtime/logger.ts'
export type { Labels, MetricDeclaration } from '../kubernetes/runtime/metrics/metric-declaration.ts'
export {
  createKubeMetrics,
  type KubeMetrics,
  type MetricRegistry,
} from '../kubernetes/runtime/metrics/metrics.ts'
export {
  type Condition,
  findCondition,
  type Observation,
  setConditions,
} from '../kubernetes/runtime/objects/conditions.ts'
export { identityOf, metadataOf } from '../kubernetes/runtime/objects/metadata-only.ts'
export {
  type DesiredObject,
  isBeingDeleted,
  type Key,
  type KubeObject,
  keyOf,
  nameOf,
  type ObjectMeta,
  type ObjectName,
  type ResourceType,
} from '../kubernetes/runtime/objects/resource.ts'
export { type ConfigMap, type Secret, wellKnown } from '../kubernetes/runtime/objects/well-known.ts'
export type { SteadyClock as Clock } from '../platform/core/time/clock.ts'
