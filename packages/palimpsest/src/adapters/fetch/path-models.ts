import type { Dialect } from '../../dialects/dialect.ts'

/** Models that stand in the URL and not in the request, for a compactor that only sees requests. */
export class PathModels {
  readonly #models = new WeakMap<object, string>()

  remember(native: object, model: string | undefined): void {
    if (model !== undefined) this.#models.set(native, model)
  }

  /** The dialect, whose conversations tell these models too. */
  taughtTo(dialect: Dialect<unknown, object>): Dialect<unknown, object> {
    return {
      ...dialect,
      open: (request) => {
        const conversation = dialect.open(request)
        const model = this.#models.get(request as object)
        return model === undefined || conversation.model !== undefined ? conversation : { ...conversation, model }
      },
    }
  }
}
