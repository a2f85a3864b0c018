/** This number of requests never causes a slow event loop, so rejecting them would not help. */
const FEW = 16;
/** Between two measurements, ten times a second. */
const FEWER = 0.7;
const MORE = 8;

/**
 * The number of requests admitted at a time. It follows the delay of the event loop, which delays rejections too; more
 * requests than database connections finish no sooner.
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
