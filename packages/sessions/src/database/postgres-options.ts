/** How a PostgreSQL server is used. */
export interface PostgresOptions {
  /** The most connections of this process, save one more for locks. Default 10. */
  readonly poolSize?: number
  /** The schema that the tables stand in; it is made where there is none. Default `palimpsest`. */
  readonly schema?: string
  /** Milliseconds that a new connection may take. Default 10,000. */
  readonly connectTimeout?: number
}
