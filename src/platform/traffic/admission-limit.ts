/** So few requests are never the reason that the event loop is late; refusing them would help nobody. */
const FEW = 16;
/** From one look to the next, ten times a second. */
const FEWER = 0.7;
const MORE = 8;

/**
 * How many requests are let in at a time. It follows the event loop: what keeps it busy for long keeps refusals waiting as
 * well, and more at once than the database has connections for are done no sooner.
 */
export class AdmissionLimit {
  value: number;

  constructor(private readonly bounds: { most: number; lateMs: number }) {
    this.value = bounds.most;
  }

  adapt({ delayMs, inFlight }: { delayMs: number; inFlight: number }): void {
    const { most, lateMs } = this.bounds;
    const isOverloaded = delayMs > lateMs && inFlight >= FEW;
    const wanted = isOverloaded ? Math.max(FEW, this.value * FEWER) : this.value + MORE;
    this.value = Math.min(most, Math.floor(wanted));
  }
}
