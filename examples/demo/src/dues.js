/** Cents per metre and night. The first season whose last day is not before the day counts. */
const SEASONS = [
  { until: '03-31', name: 'winter', cents: 95 },
  { until: '05-31', name: 'spring', cents: 140 },
  { until: '08-31', name: 'summer', cents: 210 },
  { until: '10-31', name: 'autumn', cents: 140 },
  { until: '12-31', name: 'winter', cents: 95 },
]

/** Ships from this length on pay half as much again: they take two berths. */
const LONG_METRES = 15
/** From this night on a berth costs half. */
const LONG_STAY = 7

/** The season of a day such as `2026-04-02`. */
export function seasonOf(day) {
  const monthAndDay = day.slice(5)
  const season = SEASONS.find(({ until }) => monthAndDay <= until)
  if (season === undefined) throw new Error(`"${day}" is in no season`)
  return season
}

/** What a visit costs, in whole cents: metres are charged as begun, nights by the season of the first one. */
export function duesOf({ day, metres, nights }) {
  const perNight = Math.ceil(metres) * seasonOf(day).cents
  const full = Math.min(nights, LONG_STAY - 1)
  const reduced = nights - full
  const dues = perNight * full + Math.round((perNight * reduced) / 2)
  return metres >= LONG_METRES ? Math.round(dues * 1.5) : dues
}
