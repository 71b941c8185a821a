/**
 * Does the path of this target have a segment `..`, in any spelling that a URL parser or a server behind one takes for it:
 * with `%2e`, between backslashes, between encoded slashes, with tabs or line ends in it, encoded more than once?
 */
export function hasParentSegment(target: string): boolean {
  const path = decoded(target.replace(/\?.*$/s, '')).replace(/[\t\r\n]/g, '')
  // what stands behind a semicolon is a parameter of the segment to some servers
  return path.split(/[/\\]/).some((segment) => /^\.\.(?:;|$)/.test(segment))
}

/** Without percent signs in front of dots, slashes, tabs and line ends, however often they are encoded. */
function decoded(path: string): string {
  return path.replace(/%(?:25)*(2e|2f|5c|3b|09|0a|0d)/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
}
