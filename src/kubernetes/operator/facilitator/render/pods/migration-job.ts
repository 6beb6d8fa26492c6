import type { DesiredObject } from '../../../../runtime/objects/resource.ts'
import type { DesiredFacilitator } from '../../desired/desired.ts'
import { MIGRATION, metadataOf } from '../../spec/child-metadata.ts'
import { databaseFiles, SECRETS_PATH, secretId } from '../../spec/secret-files.ts'
import { podTemplate } from './pod.ts'

const RETRIES = 2
/** Time limit of all attempts of one Job together. */
const DEADLINE_SECONDS = 600

/** Migrates the database to the version of the image. Named by a keyed digest of image and database URL: each pair runs once. */
export function migrationJob(desired: DesiredFacilitator): DesiredObject {
  const { facilitator, image, secrets, digest } = desired
  const { spec } = facilitator
  const files = databaseFiles(facilitator)
  const values = files.map(({ ref }) => secrets.get(secretId(ref)) ?? '')
  const hash = digest([facilitator.metadata.uid, image.reference, ...values])
  const env = {
    ...Object.fromEntries(files.map(({ variable, file }) => [variable, `${SECRETS_PATH}/${file}`])),
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
        files,
        resources: spec.resources,
        annotations: {},
        container: { env: Object.entries(env).map(([name, value]) => ({ name, value })) },
        pod: { restartPolicy: 'Never' },
      }),
    },
  }
}
