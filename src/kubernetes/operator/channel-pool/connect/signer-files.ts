import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canonicalHash } from '../../../../platform/core/text/canonical-json.ts'
import type { SecretKey } from '../../../crd/fields/fields.ts'
import {
  type SponsorSource,
  signerFiles,
  sponsorSourceId,
} from '../../references/sponsor-source.ts'
import { valueId } from './sponsor-values.ts'

const OWNER_ALONE = 0o700
const READ_BY_OWNER = 0o400

interface Written {
  readonly folder: string
  /** Of the values, to notice others. */
  readonly hash: string
}

/** By the reference of a Secret: the path of the file with its value. */
export type PathOf = (ref: SecretKey) => string

/**
 * PINs and certificates of tenants as files of this process, which signers read. Each pool has a private folder, which goes with the pool
 * or with the term of the leader.
 */
export class SignerFiles implements AsyncDisposable {
  /** Made with the first file. */
  #root: Promise<string> | undefined
  readonly #written = new Map<string, Map<string, Written>>()
  #count = 0

  /**
   * Writes the values where they differ from the last ones.
   * @param uid of the pool
   */
  async write(
    uid: string,
    source: SponsorSource,
    values: ReadonlyMap<string, string>,
  ): Promise<PathOf> {
    const refs = signerFiles(source).map(({ ref }) => ref)
    const ofPool = this.#written.get(uid) ?? new Map<string, Written>()
    this.#written.set(uid, ofPool)
    const id = sponsorSourceId(source)
    const hash = canonicalHash(refs.map((ref) => values.get(valueId(ref)) ?? ''))
    const before = ofPool.get(id)
    const folder = before?.hash === hash ? before.folder : await this.#fill(refs, values)
    ofPool.set(id, { folder, hash })
    if (before && before.folder !== folder) await remove(before.folder)
    return (ref) => join(folder, fileName(refs, ref))
  }

  /** Removes the files of the sources that the pool no longer names. */
  async keepOnly(uid: string, ids: ReadonlySet<string>): Promise<void> {
    const ofPool = this.#written.get(uid) ?? new Map<string, Written>()
    for (const [id, { folder }] of [...ofPool]) {
      if (ids.has(id)) continue
      ofPool.delete(id)
      await remove(folder)
    }
    if (ofPool.size === 0) this.#written.delete(uid)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#written.clear()
    const root = await this.#root
    if (root !== undefined) await remove(root)
  }

  async #fill(refs: readonly SecretKey[], values: ReadonlyMap<string, string>): Promise<string> {
    // mkdtemp gives the folder the mode 0700.
    this.#root ??= mkdtemp(join(tmpdir(), 'x402-signers-'))
    this.#count += 1
    const folder = join(await this.#root, String(this.#count))
    await mkdir(folder, { mode: OWNER_ALONE })
    await chmod(folder, OWNER_ALONE)
    for (const ref of refs) {
      const path = join(folder, fileName(refs, ref))
      await writeFile(path, values.get(valueId(ref)) ?? '', { mode: READ_BY_OWNER })
    }
    return folder
  }
}

/** A name of a Secret is no safe name of a file. */
const fileName = (refs: readonly SecretKey[], ref: SecretKey): string =>
  String(refs.findIndex((each) => valueId(each) === valueId(ref)))

const remove = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true })
