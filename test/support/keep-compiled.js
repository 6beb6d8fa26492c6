/*
 * Each process of the tests loads this first (vitest.config.ts): libraries and Vitest come compiled from an earlier
 * process. The folder is not in NODE_COMPILE_CACHE, which the `svc` processes of tests would inherit: they would keep
 * code of the folders that tests copy and remove. It is JavaScript, because the first file of TypeScript loads Node's parser for it.
 */
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/tests', import.meta.url)))
