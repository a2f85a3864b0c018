import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { ComponentKind, TripComponent } from '../components/component.entity.js';
import { DeparturesProvider } from './departures-provider.js';
import { ManualProvider } from './manual-provider.js';
import type { ExternalProvider, InternalProvider, ProviderName, Quote, Wanted } from './provider.js';
import { SimulatedProvider } from './simulated-provider.js';

/** How long a provider may think before its answer counts as lost. */
const CALL_LIMIT_MS = 1_500;

/** Who sells what. */
@Injectable()
export class Providers {
  private readonly all: readonly (InternalProvider | ExternalProvider)[];

  constructor(departures: DeparturesProvider, manual: ManualProvider, simulated: SimulatedProvider) {
    this.all = [departures, manual, simulated];
  }

  of({ kind }: { kind: ComponentKind }): InternalProvider | ExternalProvider {
    return this.named(PROVIDER_OF[kind]);
  }

  named(name: ProviderName): InternalProvider | ExternalProvider {
    const found = this.all.find((provider) => provider.name === name);
    if (!found) throw new Error(`There is no provider ${name}`);
    return found;
  }

  /** Those that are sold outside: they are never asked inside a transaction. */
  external(name: ProviderName): ExternalProvider {
    const provider = this.named(name);
    if (provider.isInternal) throw new Error(`${name} works inside our transactions`);
    return provider;
  }

  isInternal(component: { kind: ComponentKind }): boolean {
    return this.of(component).isInternal;
  }

  /** One question to each provider, by component. Of an external one that does not answer, nothing is available. */
  async quote(components: readonly TripComponent[]): Promise<Map<string, Quote>> {
    const quotes = new Map<string, Quote>();
    for (const provider of this.all) {
      const theirs = components.filter((component) => this.of(component) === provider);
      if (theirs.length === 0) continue;
      const answers = provider.isInternal
        ? await provider.quote(theirs.map(toWanted))
        : await Promise.all(theirs.map((one) => quoteWithin(provider, toWanted(one))));
      theirs.forEach((component, index) => {
        quotes.set(component.id, answers[index] ?? { available: false, reason: 'The provider did not answer' });
      });
    }
    return quotes;
  }
}

const PROVIDER_OF: Readonly<Record<ComponentKind, ProviderName>> = {
  catalog_booking: 'departures',
  external_order: 'simulated',
  manual_placeholder: 'manual',
};

/** Throws where the answer takes too long: then its outcome is unknown. */
export async function within<T>(call: Promise<T>): Promise<T> {
  const ended = new AbortController();
  const limit = pause(CALL_LIMIT_MS, undefined, { signal: ended.signal }).then(() => {
    throw new Error('The provider took too long');
  });
  try {
    return await Promise.race([call, limit]);
  } finally {
    ended.abort();
    limit.catch(() => undefined);
    // Its late answer is nobody's any more.
    call.catch(() => undefined);
  }
}

async function quoteWithin(provider: ExternalProvider, wanted: Wanted): Promise<Quote> {
  try {
    return (await within(provider.quote([wanted])))[0] ?? { available: false, reason: 'The provider did not answer' };
  } catch {
    return { available: false, reason: 'The provider did not answer' };
  }
}

function toWanted(component: TripComponent): Wanted {
  return {
    componentId: component.id,
    departureId: component.departureId,
    providerRef: component.providerRef,
    quantity: component.quantity,
    currency: component.currency,
    unitPriceCents: component.unitPriceCents,
    unitTaxIncludedCents: component.unitTaxIncludedCents,
    serviceDate: component.serviceDate,
  };
}
