import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { anchorsOf } from './markdown.mjs'
import { code, dashboard, folder, metrics, page, root, rowsOf, rules, textOf } from './operations.test-data.ts'
import { prometheusSeries } from './prometheus-names.ts'
import { promqlParts, queriesOf } from './telemetry-queries.ts'

describe('the dashboard', () => {
  it('has a panel for each question of G4, with title, unit and query', () => {
    const titles = dashboard.panels.map(({ title }) => title).join('\n')
    for (const question of [
      'Context size against window',
      'Compactions by reason',
      'Evicted messages',
      'Cache read ratio',
      'Summariser cost',
      'Overflow retries',
      'Thrash',
    ]) {
      expect(titles).toContain(question)
    }
    for (const { title, fieldConfig, targets } of dashboard.panels) {
      expect([title, fieldConfig.defaults.unit]).toEqual([expect.stringMatching(/\S/), expect.stringMatching(/\S/)])
      expect(targets.length).toBeGreaterThan(0)
      for (const { expr, query } of targets) expect(expr ?? query).toMatch(/\S/)
      expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length)
    }
  })

  it('shows every metric', () => {
    const asked = dashboard.panels.flatMap(({ targets }) =>
      targets.flatMap(({ expr }) =>
        expr === undefined ? [] : promqlParts(expr).selectors.map(({ series }) => series),
      ),
    )
    const unseen = metrics.filter((metric) => !prometheusSeries(metric).some((series) => asked.includes(series)))
    expect(unseen.map(({ name }) => name)).toEqual([])
  })

  it('asks data sources that are provisioned', () => {
    const { datasources } = parse(textOf('docs/operations/grafana/provisioning/datasources/datasources.yaml'))
    const known = datasources.map(({ uid }: { readonly uid: string }) => uid)
    const asked = dashboard.panels.flatMap(({ targets }) => targets.map(({ datasource }) => datasource.uid))
    expect([...new Set(asked)].sort()).toEqual(known.sort())
  })

  it('lays no panel over another', () => {
    const taken = new Set<string>()
    for (const { title, gridPos } of dashboard.panels) {
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(taken.has(`${x} ${y}`), title).toBe(false)
          taken.add(`${x} ${y}`)
        }
      }
    }
  })
})

describe('the alert rules', () => {
  it.each(rules)('$alert waits, says what is wrong, and leads to what can be done', (rule) => {
    expect(rule.alert).toMatch(/^Palimpsest\w+$/)
    expect(rule.for).toMatch(/^\d+[mh]$/)
    expect(rule.annotations.summary).toMatch(/\S.*\.$/)
    expect(rule.annotations.description).toContain('{{ $value')
    const [path, anchor] = rule.annotations.runbook_url.split('#')
    expect(path).toBe('docs/operations/observability.md')
    expect(anchorsOf(page)).toContain(anchor)
    const row = rowsOf('alert').find(([name]) => name === code([rule.alert]))
    expect(row?.slice(2)).toEqual([rule.for, `[below](#${anchor})`])
  })

  it('shows in its messages only labels that the rule keeps', () => {
    const lost = rules.flatMap(({ alert, expr, annotations }) => {
      const kept = promqlParts(expr).grouping
      const shown = [...JSON.stringify(annotations).matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label)
      return shown.filter((label) => !kept.includes(label)).map((label) => `${alert}: ${label}`)
    })
    expect(lost).toEqual([])
  })

  it('are all on the page', () => {
    expect(rowsOf('alert').map(([name]) => name)).toEqual(rules.map(({ alert }) => code([alert])))
  })

  it('are those of thrash that the page defines and the dashboard draws', () => {
    const limits = (text: string) => (text.includes('> 0.2') || text.includes('> 0.5') ? [shape(text)] : [])
    const onPage = queriesOf(page).promql.flatMap(limits)
    expect(onPage).toHaveLength(2)
    const inRules = rules.map(({ expr }) => shape(expr))
    expect(onPage.filter((query) => !inRules.some((rule) => rule.startsWith(query)))).toEqual([])
    const drawn = dashboard.panels
      .filter(({ title }) => title.startsWith('Thrash'))
      .flatMap(({ targets }) =>
        targets.map(({ expr = '' }) => shape(expr.replace(/job=~"\$job",?/g, '').replace('{}', ''))),
      )
    expect(drawn).toEqual(onPage.map((query) => query.replace(/>[\d.]+$/, '')))
  })
})

/** A query without grouping, brackets and white space. */
function shape(query: string): string {
  return query.replace(/\bby \([^)]*\)/g, '').replace(/[\s()]/g, '')
}

describe('the containers', () => {
  interface Service {
    readonly image: string
    readonly ports?: readonly string[]
    readonly volumes?: readonly string[]
    readonly command?: readonly string[]
    readonly depends_on?: readonly string[]
  }
  const compose: { readonly services: Readonly<Record<string, Service>>; readonly volumes: object } = parse(
    textOf('docs/operations/compose.yaml'),
  )
  const services = Object.entries(compose.services)
  const mountsOf = ({ volumes = [] }: Service) => volumes.map((volume) => volume.split(':'))

  it('are collector, Tempo, Prometheus and Grafana, each of one version', () => {
    expect(Object.keys(compose.services).sort()).toEqual(['collector', 'grafana', 'prometheus', 'tempo'])
    for (const [, { image }] of services) expect(image).toMatch(/^[\w/-]+:v?\d+\.\d+\.\d+$/)
  })

  it('are reached on loopback alone', () => {
    const ports = services.flatMap(([, service]) => service.ports ?? [])
    expect(ports).toHaveLength(4)
    expect(ports.filter((port) => !/^127\.0\.0\.1:(\d+):\d+$/.test(port))).toEqual([])
    expect(ports.filter((port) => !page.includes(port.replace(/:\d+$/, '')))).toEqual([])
  })

  it('mount files that are there, and volumes that are declared', () => {
    const sources = services.flatMap(([, service]) => mountsOf(service).map(([source = '']) => source))
    const missing = sources.filter((source) =>
      source.startsWith('.') ? !existsSync(join(folder, source)) : !(source in compose.volumes),
    )
    expect(missing).toEqual([])
  })

  it('are given configuration that is mounted', () => {
    const named = services.flatMap(([name, { command = [] }]) =>
      command.flatMap((word) => {
        const [, path] = /config(?:\.file)?=(\S+)$/.exec(word) ?? []
        return path === undefined ? [] : [{ name, path }]
      }),
    )
    expect(named).toHaveLength(3)
    for (const { name, path } of named) {
      const service = compose.services[name]
      expect(service && mountsOf(service).map(([, target]) => target)).toContain(path)
    }
    const { providers } = parse(textOf('docs/operations/grafana/provisioning/dashboards/dashboards.yaml'))
    const grafana = compose.services.grafana
    expect(grafana && mountsOf(grafana).map(([, target]) => target)).toContain(providers[0].options.path)
    const { rule_files } = parse(textOf('docs/operations/prometheus/prometheus.yml'))
    const prometheus = compose.services.prometheus
    for (const file of rule_files) {
      expect(prometheus && mountsOf(prometheus).map(([, target]) => target)).toContain(`/etc/prometheus/${file}`)
    }
  })

  it('speak to each other by their names', () => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.ya?ml$/.test(name))
    const hosts = files.flatMap((file) =>
      [...textOf(join('docs/operations', file)).matchAll(/https?:\/\/([\w.-]+):/g)].map(([, host = '']) => host),
    )
    expect(hosts.length).toBeGreaterThan(3)
    expect(hosts.filter((host) => !(host in compose.services))).toEqual([])
  })

  it('have a collector whose pipelines use what it defines', () => {
    const config = parse(textOf('docs/operations/collector/config.yaml'))
    const kinds = ['receivers', 'processors', 'exporters'] as const
    const pipelines: Readonly<Record<string, Readonly<Record<(typeof kinds)[number], readonly string[]>>>> =
      config.service.pipelines
    expect(Object.keys(pipelines)).toEqual(['traces', 'metrics', 'logs'])
    for (const kind of kinds) {
      const used = new Set(Object.values(pipelines).flatMap((pipeline) => pipeline[kind]))
      expect([...used].sort()).toEqual(Object.keys(config[kind]).sort())
    }
  })
})

describe('the variables', () => {
  const telemetry = join(root, 'packages/cli/src/telemetry')
  const sources = readdirSync(telemetry)
    .filter((name) => name.endsWith('.ts') && !name.includes('.test'))
    .map((name) => readFileSync(join(telemetry, name), 'utf8'))
    .join('\n')
  const read = [...new Set([...sources.matchAll(/\bOTEL_[A-Z_]*[A-Z]\b/g)].map(([name]) => name))]
  const perSignal = ['TRACES', 'METRICS', 'LOGS'].flatMap((signal) => [
    `OTEL_${signal}_EXPORTER`,
    `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`,
  ])
  // the sources put these together of their parts
  const known = [...read, ...perSignal, 'OTEL_EXPORTER_OTLP_PROTOCOL']

  it('that the commands read are on the page', () => {
    expect(read.length).toBeGreaterThan(5)
    expect(sources).toMatch(
      /OTEL_\$\{signal\}_EXPORTER[\s\S]*OTLP_\$\{signal\}_ENDPOINT[\s\S]*OTLP_\$\{signal\}PROTOCOL/,
    )
    expect(known.filter((name) => !new RegExp(`\`${name}[\`=]`).test(page))).toEqual([])
  })

  it('of the page are read by the commands, or by the installed SDK', () => {
    const told = [...new Set([...page.matchAll(/\bOTEL_[A-Z_]*[A-Z]\b/g)].map(([name]) => name))]
    const sdk = ['otlp-exporter-base', 'resources', 'sdk-trace', 'sdk-trace-base', 'sdk-metrics']
      .map((name) => join(root, 'node_modules/@opentelemetry', name, 'build/src'))
      .flatMap((built) =>
        readdirSync(built, { recursive: true, encoding: 'utf8' })
          .filter((name) => name.endsWith('.js'))
          .map((name) => readFileSync(join(built, name), 'utf8')),
      )
      .join('\n')
    expect(told.filter((name) => !known.includes(name) && !new RegExp(`\\b${name}\\b`).test(sdk))).toEqual([])
  })
})
