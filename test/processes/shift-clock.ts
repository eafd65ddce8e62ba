/*
 * Preloaded into a service process by `--import`: its host's clock is off by CLOCK_SHIFT_MS, as that of a machine whose
 * time nobody keeps. The monotonic clock, and the database's, are not touched.
 */

const shiftMs = Number(process.env.CLOCK_SHIFT_MS)
const RealDate = Date

class ShiftedDate extends RealDate {
  constructor(...parts: unknown[]) {
    super(...((parts.length === 0 ? [RealDate.now() + shiftMs] : parts) as [number]))
  }

  static override now(): number {
    return RealDate.now() + shiftMs
  }
}

globalThis.Date = ShiftedDate as DateConstructor
