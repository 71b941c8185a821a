import { join } from 'node:path'
import { artifactKey, isArtifactKey, namespaceDigest, storedContent } from './artifact-key.ts'
import type { ArtifactStore, StoreCall } from './ports.ts'
import { readPrivate, storing, syncPrivate, writePrivate } from './private-files.ts'

/**
 * Keeps each artifact as a text file of its own, in a folder per namespace. A file appears under its key whole or not at
 * all; a process that dies on the way leaves at most a `.tmp` file, which nobody reads.
 */
export class DirectoryArtifacts implements ArtifactStore {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  async put(namespace: string, content: string, call?: StoreCall): Promise<string> {
    const stored = storedContent(content)
    const key = artifactKey(namespace, stored)
    const path = this.#path(namespace, key)
    return storing(path, call, async () => {
      const there = (await readPrivate(path)) === stored
      call?.signal?.throwIfAborted()
      await (there ? syncPrivate(path) : writePrivate(path, stored))
      return key
    })
  }

  async get(namespace: string, key: string, call?: StoreCall): Promise<string | undefined> {
    call?.signal?.throwIfAborted()
    if (!isArtifactKey(key)) return undefined
    const path = this.#path(namespace, key)
    return storing(path, call, () => readPrivate(path))
  }

  #path(namespace: string, key: string): string {
    return join(this.#folder, namespaceDigest(namespace), `${key}.txt`)
  }
}
