/** What the user is asked to allow. */
export interface PermissionRequest {
  readonly tool: string
  readonly kind: 'write' | 'command'
  /** The path in the workspace, or the command, whole. */
  readonly target: string
  /** What would change, as a unified diff. */
  readonly preview?: string
}

/** `once`: this call; `session`: this call, and all that are like it; anything else is no, with a reason for the model. */
export type PermissionAnswer = 'once' | 'session' | { readonly denied: string }

/** Asks the person. Rejects when the signal is aborted. */
export type AskPermission = (
  request: PermissionRequest,
  call: { readonly id: string; readonly signal: AbortSignal },
) => Promise<PermissionAnswer>
