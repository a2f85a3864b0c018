import { Injectable } from '@nestjs/common';
import { type DiscoverableDecorator, DiscoveryService, MetadataScanner } from '@nestjs/core';

/** A decorator for methods of this type. */
export type MethodDecoratorOf<Method> = <Actual extends Method>(
  target: object,
  key: string,
  descriptor: TypedPropertyDescriptor<Actual>,
) => void;

/** Makes decorators that carry options; `DecoratedMethods` finds the methods that have one. */
export interface MethodDecoratorFactory<Options, Method> {
  (options: Options): MethodDecoratorOf<Method>;
  readonly metadata: DiscoverableDecorator<Options>;
}

export function methodDecorator<Options, Method>(): MethodDecoratorFactory<Options, Method> {
  const metadata = DiscoveryService.createDecorator<Options>();
  const factory =
    (options: Options): MethodDecoratorOf<Method> =>
    (target, key, descriptor) => {
      metadata(options)(target, key, descriptor);
    };
  return Object.assign(factory, { metadata });
}

/** A decorated method, bound to its provider. */
export interface DecoratedMethod<Options, Method> {
  options: Options;
  call: Method;
  /** `ClassName.methodName`, for error messages. */
  location: string;
}

/**
 * Finds the decorated methods of all providers. Registration is declarative: a class decorates its methods, and the one
 * class that acts on a decorator collects them when all modules exist (in `onModuleInit` or later).
 */
@Injectable()
export class DecoratedMethods {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  find<Options, Method>(decorator: MethodDecoratorFactory<Options, Method>): DecoratedMethod<Options, Method>[] {
    const found = new Map<string, DecoratedMethod<Options, Method>>();
    for (const wrapper of this.discovery.getProviders()) {
      const instance = wrapper.instance as Record<string, unknown> | null;
      if (typeof instance !== 'object' || instance === null) continue;
      for (const name of this.scanner.getAllMethodNames(Object.getPrototypeOf(instance) as object)) {
        const method = instance[name];
        const options: Options | undefined = this.discovery.getMetadataByDecorator(decorator.metadata, wrapper, name);
        if (options === undefined || typeof method !== 'function') continue;
        const location = `${instance.constructor.name}.${name}`;
        found.set(location, { options, location, call: method.bind(instance) as Method });
      }
    }
    return [...found.values()];
  }

  /** Like `find`, by a name that must be unique. Throws an error that names both methods of a duplicate. */
  findByName<Options, Method>(
    decorator: MethodDecoratorFactory<Options, Method>,
    nameOf: (options: Options) => string,
  ): Map<string, DecoratedMethod<Options, Method>> {
    const named = new Map<string, DecoratedMethod<Options, Method>>();
    for (const method of this.find(decorator)) {
      const name = nameOf(method.options);
      const other = named.get(name);
      if (other) throw new Error(`${other.location} and ${method.location} are both registered as '${name}'`);
      named.set(name, method);
    }
    return named;
  }
}
