/** Limits how many calls of one supplier run at the same time; others wait in the order of their arrival. */
export class CallPlaces {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  /** Waits for a place. Returns false if there is none within this time. */
  async take(waitMs: number): Promise<boolean> {
    if (this.free > 0) {
      this.free -= 1;
      return true;
    }
    return new Promise((resolve) => {
      const go = () => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(go), 1);
        resolve(false);
      }, waitMs);
      this.waiting.push(go);
    });
  }

  release(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.free += 1;
  }
}
