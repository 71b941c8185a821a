import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { ATTRIBUTES, METRICS, type MetricDefinition } from '../../packages/palimpsest/src/telemetry/names.ts'

export const root = fileURLToPath(new URL('../../', import.meta.url))
export const folder = join(root, 'docs/operations')
export const textOf = (path: string) => readFileSync(join(root, path), 'utf8')

/** docs/operations/observability.md */
export const page = textOf('docs/operations/observability.md')

export interface Panel {
  readonly title: string
  readonly fieldConfig: { readonly defaults: { readonly unit?: string } }
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets: readonly {
    readonly refId: string
    readonly expr?: string
    readonly query?: string
    readonly datasource: { readonly uid: string }
  }[]
}

export interface Dashboard {
  readonly panels: readonly Panel[]
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] }
}

export interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for: string
  readonly annotations: { readonly summary: string; readonly description: string; readonly runbook_url: string }
}

export const dashboard: Dashboard = JSON.parse(textOf('docs/operations/grafana/dashboards/palimpsest.json'))
export const rules: readonly Rule[] = parse(textOf('docs/operations/prometheus/alerts.yml')).groups.flatMap(
  (group: { readonly rules: readonly Rule[] }) => group.rules,
)
export const metrics: readonly MetricDefinition[] = Object.values(METRICS)
export const attributes: readonly string[] = Object.values(ATTRIBUTES)

/** Rows of the first table on the page whose first column has this name, cell by cell. */
export function rowsOf(firstColumn: string): readonly (readonly string[])[] {
  const lines = page.split('\n')
  const start = lines.findIndex((line) => line.startsWith(`| ${firstColumn} |`))
  const length = lines.slice(start).findIndex((line) => !line.startsWith('|'))
  return lines.slice(start + 2, start + length).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  )
}

export const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')
