// How a window is divided, for a few windows and output caps. `node examples/learning/budget.mjs`
import { contextBudget, DEFAULT_PRESET } from 'palimpsest/engine'

const { trigger, target: targetShare } = DEFAULT_PRESET
console.log('  window  max_tokens  margin  reserve  0.85 of it  trigger')
for (const [window, requestedOutput] of [
  [1_000_000, 32_000],
  [200_000, 8_192],
  [200_000, 64_000],
  [32_000, 4_096],
  [16_000, 2_000],
]) {
  const budget = contextBudget({ window, requestedOutput, trigger, targetShare })
  const cells = [window, requestedOutput, budget.margin, budget.reserve, window * 0.85, budget.trigger]
  const widths = [8, 10, 6, 7, 10, 7]
  console.log(cells.map((cell, at) => String(cell).padStart(widths[at])).join('  '))
}
