import { duesOf, seasonOf } from './dues.js'
import { formatAmount } from './money.js'

/** What each ship owes, the most first, and the sum; as a table of text. */
export function report(visits) {
  const ships = [...totals(visits)].sort((a, b) => b.sum - a.sum || a.ship.localeCompare(b.ship))
  const sum = ships.reduce((all, ship) => all + ship.sum, 0)
  const rows = [
    ['ship', 'visits', 'nights', 'dues', 'taken', 'sum'],
    ...ships.map(({ ship, visits: count, nights, dues, taken, sum: owed }) => [
      ship,
      String(count),
      String(nights),
      formatAmount(dues),
      formatAmount(taken),
      formatAmount(owed),
    ]),
    ['', '', '', '', '', formatAmount(sum)],
  ]
  return [table(rows), '', seasons(visits)].join('\n')
}

/** One line for each ship: visits, nights, dues and what it took, in cents. */
export function totals(visits) {
  const ships = new Map()
  for (const visit of visits) {
    const ship = ships.get(visit.ship) ?? { ship: visit.ship, visits: 0, nights: 0, dues: 0, taken: 0, sum: 0 }
    const dues = duesOf(visit)
    ship.visits += 1
    ship.nights += visit.nights
    ship.dues += dues
    ship.taken += visit.taken
    ship.sum += dues + visit.taken
    ships.set(visit.ship, ship)
  }
  return ships.values()
}

function seasons(visits) {
  const nights = new Map()
  for (const { day, nights: count } of visits) {
    const { name } = seasonOf(day)
    nights.set(name, (nights.get(name) ?? 0) + count)
  }
  return [...nights].map(([name, count]) => `${name}: ${count} nights`).join('\n')
}

/** Columns as wide as their widest field; the first to the left, the others to the right. */
function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)))
  return rows
    .map((row) =>
      row
        .map((field, column) => (column === 0 ? field.padEnd(widths[column]) : field.padStart(widths[column])))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
