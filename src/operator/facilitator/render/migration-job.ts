import { canonicalHash } from '../../../core/canonical-json.ts'
import type { DesiredObject } from '../../../kube/resource.ts'
import { databaseFile, SECRETS_PATH } from '../secret-files.ts'
import { secretId, type Wanted } from '../wanted.ts'
import { MIGRATION, metadataOf } from './common.ts'
import { podTemplate } from './pod.ts'

/** Tries of one Job, and how long they may take altogether. */
const RETRIES = 2
const DEADLINE_SECONDS = 600

/**
 * Brings the database up to the version of the image. Its name follows the image and the address of
 * the database: one run for each, and none for anything else that changes.
 */
export function migrationJob(wanted: Wanted): DesiredObject {
  const { facilitator, image, secrets } = wanted
  const { spec } = facilitator
  const database = databaseFile(facilitator)
  const hash = canonicalHash([image.reference, secrets.get(secretId(database.ref)) ?? ''])
  const env = {
    [database.variable]: `${SECRETS_PATH}/${database.file}`,
    LOG_LEVEL: spec.logLevel.toLowerCase(),
  }
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: metadataOf(facilitator, {
      suffix: `migrate-${hash.slice(0, 8)}`,
      component: MIGRATION,
    }),
    spec: {
      backoffLimit: RETRIES,
      activeDeadlineSeconds: DEADLINE_SECONDS,
      template: podTemplate({
        facilitator,
        component: MIGRATION,
        image,
        args: ['migrate'],
        files: [database],
        resources: spec.resources,
        annotations: {},
        container: { env: Object.entries(env).map(([name, value]) => ({ name, value })) },
        pod: { restartPolicy: 'Never' },
      }),
    },
  }
}
