/**
 * How a view shows where the original of an offloaded part is.
 *
 * @example
 * artifactPointer('3f0c') // 'artifact://3f0c'
 */
export function artifactPointer(key: string): string {
  return `artifact://${key}`
}

/** The key in such a pointer, white space around it aside; undefined for any other text. */
export function pointedArtifact(text: string): string | undefined {
  return /^artifact:\/\/([0-9a-f]+)$/.exec(text.trim())?.[1]
}
