import { Injectable } from '@nestjs/common';
import { Env } from '../config/env.js';
import { AppError, unavailable } from '../errors/app-error.js';
import { Metrics } from '../observability/metrics.js';

const MIB = 1024 * 1024;
const RETRY_AFTER_MS = 1_000;

/**
 * The bytes of bodies that are being received, in total and per address. A body counts with its declared size from its
 * first byte on, because the rest may arrive at any time.
 */
@Injectable()
export class BodyQuota {
  private total = 0;
  private readonly byAddress = new Map<string, number>();

  constructor(
    private readonly env: Env,
    metrics: Metrics,
  ) {
    metrics.gauge({ name: 'http_body_bytes_receiving', help: 'Bytes of bodies that are arriving' }, () => this.total);
  }

  /** Counts the bytes until the returned function is called. Throws 429 for the address, 503 for the process. */
  reserve(address: string, bytes: number): () => void {
    const ofAddress = (this.byAddress.get(address) ?? 0) + bytes;
    if (ofAddress > this.env.maxReceivingMibPerAddress * MIB) {
      throw new AppError(429, 'rate_limited', 'Too many large requests at the same time; wait before the next one', {
        retryAfterMs: RETRY_AFTER_MS,
      });
    }
    if (this.total + bytes > this.env.maxReceivingMib * MIB) throw unavailable('The service is busy', RETRY_AFTER_MS);
    this.total += bytes;
    this.byAddress.set(address, ofAddress);
    let isReserved = true;
    return () => {
      if (isReserved) this.release(address, bytes);
      isReserved = false;
    };
  }

  private release(address: string, bytes: number): void {
    this.total -= bytes;
    const left = (this.byAddress.get(address) ?? 0) - bytes;
    if (left > 0) this.byAddress.set(address, left);
    else this.byAddress.delete(address);
  }
}
