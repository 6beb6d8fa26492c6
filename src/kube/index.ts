/** The controller runtime as one module, for programs that import it as a whole. docs/kube-runtime.md explains it. */
export { type Applier, type ApplierOptions, createApplier } from './apply.ts'
export {
  type ClientOptions,
  createClient,
  type KubeClient,
  type Selection,
} from './client.ts'
export type { Clock } from './clock.ts'
export { type Condition, findCondition, type Observation, setConditions } from './conditions.ts'
export { type ConnectionOptions, type KubeConnection, openConnection } from './connection.ts'
export {
  type Controller,
  type ControllerOptions,
  createController,
  type Reconcile,
  type ReconcileRequest,
} from './controller.ts'
export { createDiscovery, type Discovery, type DiscoveryOptions } from './discovery.ts'
export {
  createElector,
  type ElectionEnd,
  type Elector,
  type ElectorOptions,
  type Term,
} from './election.ts'
export {
  createEventRecorder,
  type EventFacts,
  type EventRecorder,
  type EventRecorderOptions,
} from './events.ts'
export { addFinalizer, hasFinalizer, removeFinalizer } from './finalizers.ts'
export { createInformer, type Informer, type InformerOptions } from './informer.ts'
export { isKubeError, KubeError, type KubeErrorKind } from './kube-error.ts'
export type { Logger } from './logger.ts'
export { type ListSchema, type MergeKeys, mergeKeysOf } from './merge-keys.ts'
export { identityOf, metadataOf } from './metadata-only.ts'
export type { Labels, MetricDeclaration } from './metric-declaration.ts'
export { createKubeMetrics, type KubeMetrics, type MetricRegistry } from './metrics.ts'
export { again, type Outcome, settled, stuck } from './outcome.ts'
export { OwnWrites } from './own-writes.ts'
export { byControllerUid, controllerOf, ownerKeys } from './owners.ts'
export { any, changedByOthers, type Predicate, primaryChanged } from './predicates.ts'
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
} from './resource.ts'
export type { RunSignals } from './run-signals.ts'
export { createStatusWriter, type StatusWriter, type StatusWriterOptions } from './status-writer.ts'
export type { Change, Index, ReadStore } from './store.ts'
export { strategicMerge } from './strategic-merge.ts'
export { type ConfigMap, type Secret, wellKnown } from './well-known.ts'
