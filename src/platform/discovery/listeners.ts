import { type Abstract, Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';

interface ListenerOptions {
  listener: Abstract<unknown>;
  order: number;
}

interface Implementation<T> {
  order: number;
  listener: T;
}

const decorator = DiscoveryService.createDecorator<ListenerOptions>();

/**
 * Declares a provider as an implementation of a listener, which a lower module exports as an abstract class without a
 * body. Implementations are called in ascending order.
 */
export function Listens<T>(listener: Abstract<T>, order: number) {
  return <C extends new (...args: never[]) => T>(target: C): void => {
    decorator({ listener, order })(target);
  };
}

/** Calls the implementations of listeners, which higher modules declare with `@Listens`. */
@Injectable()
export class Listeners {
  private readonly known = new Map<Abstract<unknown>, Implementation<unknown>[]>();

  constructor(private readonly discovery: DiscoveryService) {}

  /** Calls this method of each implementation that has itin sequence. An error ends the series and is thrown. */
  async call<T>(listener: Abstract<T>, invoke: (listener: T) => Promise<void> | undefined): Promise<void> {
    for (const implementation of this.of(listener)) await invoke(implementation.listener);
  }

  /** The implementations, in the order in which they are called. */
  all<T>(listener: Abstract<T>): readonly T[] {
    return this.of(listener).map((implementation) => implementation.listener);
  }

  /** Returns the first implementation of a listener that some module must have. Throws if there is none. */
  one<T>(listener: Abstract<T>): T {
    const [first] = this.of(listener);
    if (!first) throw new Error(`No module implements ${(listener as { name?: string }).name}`);
    return first.listener;
  }

  /** Adds an implementation that is not a provider. */
  add<T>(listener: Abstract<T>, order: number, implementation: T): void {
    this.of(listener).push({ order, listener: implementation });
    this.of(listener).sort((a, b) => a.order - b.order);
  }

  private of<T>(listener: Abstract<T>): Implementation<T>[] {
    const known = this.known.get(listener) as Implementation<T>[] | undefined;
    if (known) return known;
    const found = this.find(listener);
    this.known.set(listener, found);
    return found;
  }

  private find<T>(listener: Abstract<T>): Implementation<T>[] {
    const found = new Map<T, number>();
    for (const wrapper of this.discovery.getProviders()) {
      const options = wrapper.metatype ? this.discovery.getMetadataByDecorator(decorator, wrapper) : undefined;
      if (options?.listener === listener) found.set(wrapper.instance as T, options.order);
    }
    return [...found].map(([instance, order]) => ({ order, listener: instance })).sort((a, b) => a.order - b.order);
  }
}
