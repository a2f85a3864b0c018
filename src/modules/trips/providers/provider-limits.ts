import type { ProviderName } from './provider.js';

/** The calls of an external provider. */
export type ProviderCall = 'quote' | 'hold' | 'confirm' | 'cancel' | 'release' | 'lookup';

/** Maximum duration of each call of a provider, in milliseconds; afterwards its response counts as lost. */
const SLOWEST: Readonly<Record<ProviderCall, number>> = {
  quote: 8_000,
  hold: 15_000,
  confirm: 15_000,
  cancel: 15_000,
  release: 15_000,
  lookup: 5_000,
};

const LIMITS: Partial<Record<ProviderName, Readonly<Record<ProviderCall, number>>>> = { simulated: SLOWEST };

export function callLimitMs(provider: ProviderName, call: ProviderCall): number {
  return (LIMITS[provider] ?? SLOWEST)[call];
}
