import { canonicalHash } from '../../../core/canonical-json.ts'
import type { DesiredObject } from '../../../kube/resource.ts'
import type { DesiredFacilitator } from '../desired.ts'
import { databaseFile, SECRETS_PATH, secretId } from '../secret-files.ts'
import { MIGRATION, metadataOf } from './common.ts'
import { podTemplate } from './pod.ts'

const RETRIES = 2
/** For all attempts of one Job together. */
const DEADLINE_SECONDS = 600

/** Migrates the database to the version of the image. Named by image and database URL: each pair runs once. */
export function migrationJob(desired: DesiredFacilitator): DesiredObject {
  const { facilitator, image, secrets } = desired
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
