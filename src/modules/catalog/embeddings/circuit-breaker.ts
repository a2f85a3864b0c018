/** Counts failures in a row. After too many it is open for a while; then one probe decides whether it closes. */
export class CircuitBreaker {
  private failures = 0;
  private openUntilMs = 0;
  private isProbing = false;

  constructor(
    private readonly limits: { failures: number; restMs: number },
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Returns whether a call would be rejected now. */
  get isOpen(): boolean {
    return this.failures >= this.limits.failures && (this.isProbing || this.nowMs() < this.openUntilMs);
  }

  /** Begins a call; each must end with `succeed`, `fail` or `abandon`. The first call after the pause is the probe. */
  begin(): void {
    this.isProbing = this.failures >= this.limits.failures;
  }

  succeed(): void {
    this.failures = 0;
    this.isProbing = false;
  }

  /** The caller ended the call, which is no failure of the model. */
  abandon(): void {
    this.isProbing = false;
  }

  fail(): void {
    this.failures += 1;
    this.isProbing = false;
    this.openUntilMs = this.nowMs() + this.limits.restMs;
  }
}
