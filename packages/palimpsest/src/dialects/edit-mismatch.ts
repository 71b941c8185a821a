import { PalimpsestError } from '../engine/errors.ts'
import type { PartEdit } from '../engine/messages/message.ts'

/** @throws PalimpsestError `plan-mismatch` when an edit names a part that an item of `count` parts does not have. */
export function assertPartsExist(edits: readonly PartEdit[], count: number): void {
  const misfit = edits.find(({ part }) => !Number.isInteger(part) || part < 0 || part >= count)
  if (misfit === undefined) return
  throw new PalimpsestError('plan-mismatch', `There is no part ${misfit.part} to edit: the item has ${count} parts.`, {
    hint: 'Apply a plan only to the transcript that it was made for.',
  })
}
