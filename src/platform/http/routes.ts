import { Injectable, type OnModuleInit, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { ACCESS, type Access } from '../auth/access.js';
import { MUTATES, type Mutation } from '../idempotency/idempotency.interceptor.js';
import {
  bodyExampleOf,
  type ErrorBodies,
  errorBodiesOf,
  errorPagesOf,
  ROUTE_ERROR_CODES,
  type RouteErrorCodes,
} from './route-errors.js';
import { type Deprecation, deprecationOf, parametersOf } from './deprecation.js';
import { isComputedNow } from './response-headers.js';
import { RouteTable } from './route-table.js';
import { type Surface, surfaceOf } from '../context/surface.js';

/** A route as its declarations describe it. */
export interface Route {
  readonly method: string;
  /** In the router's notation, e.g. `/v1/admin/trips/:envelopeId`. */
  readonly path: string;
  readonly surface: Surface;
  readonly access: Access;
  /** The declaration of a POST, PUT, PATCH or DELETE of the staff and connect surfaces. */
  readonly mutation: Mutation | null;
  /** Errors in addition to those of every route of the surface. */
  readonly refusals: RouteErrorCodes;
  /** Errors whose bodies have schemas of their own. */
  readonly errorBodies: ErrorBodies;
  /** Statuses of errors that may also be HTML pages. */
  readonly errorPages: readonly number[];
  /** The example of the body, if the route has one of its own. */
  readonly bodyExample: Record<string, unknown> | null;
  /** The response contains more than a stored row. */
  readonly isComputedNow: boolean;
  /** Null unless the route is deprecated. */
  readonly deprecation: Deprecation | null;
}

const READING = new Set(['GET', 'HEAD']);

/** All routes, read once at boot. The start fails if a route does not declare its access or its change. */
@Injectable()
export class Routes implements OnModuleInit {
  readonly all: Route[] = [];
  private readonly readingQueries = new WeakSet<object>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly table: RouteTable,
  ) {}

  onModuleInit(): void {
    for (const { instance, metatype } of this.discovery.getControllers()) {
      const prototype: unknown = instance ? Object.getPrototypeOf(instance) : null;
      if (typeof prototype !== 'object' || prototype === null || !metatype) continue;
      for (const name of this.scanner.getAllMethodNames(prototype)) {
        const handler: unknown = Reflect.get(prototype, name);
        if (typeof handler === 'function') this.read(metatype, handler, name);
      }
    }
    for (const route of this.all) this.requireSuccessor(route);
  }

  /** The scopes of the routes that record this action in the ledger; none if only jobs do. */
  scopesOf(action: string): string[] {
    const declaring = this.all.filter(
      ({ mutation }) => mutation?.action === action || mutation?.alternatives?.includes(action),
    );
    return [...new Set(declaring.flatMap(({ access }) => access.scope ?? []))];
  }

  /** The actions that routes declare for their ledger entries. */
  actions(): string[] {
    return [...new Set(this.all.flatMap(({ mutation }) => mutation?.action ?? []))];
  }

  /** Why the entry with this action cannot be reversed, as its route declares; null if it declares nothing. */
  irreversibilityOf(action: string): string | null {
    const declared = this.all.find(
      ({ mutation }) => mutation?.action === action && mutation.irreversible !== undefined,
    );
    return declared?.mutation?.irreversible ?? null;
  }

  /** Whether this handler has a `@Query()`; its class then defines the known parameters. */
  readsQuery(handler: object): boolean {
    return this.readingQueries.has(handler);
  }

  private requireSuccessor({ method, path, deprecation }: Route): void {
    const { successor } = deprecation ?? {};
    if (successor === undefined) return;
    const known = parametersOf(path);
    const unknown = parametersOf(successor).filter((name) => !known.includes(name));
    if (unknown.length > 0) throw new Error(`${method} ${path}: its successor has the parameter ${unknown.join(', ')}`);
    if (!this.all.some((route) => route.path === successor)) {
      throw new Error(`${method} ${path}: its successor ${successor} does not exist`);
    }
  }

  private read(controller: { name: string }, handler: object, methodName: string): void {
    const name = `${controller.name}.${methodName}`;
    const verb = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
    if (verb === undefined) return;
    const access = Reflect.getMetadata(ACCESS, handler) as Access | undefined;
    const mutation = (Reflect.getMetadata(MUTATES, handler) as Mutation | undefined) ?? null;
    if (hasQuery(controller, methodName)) this.readingQueries.add(handler);
    if (!access) throw new Error(`${name} must declare its access: @RequireScope(...) or @Public()`);

    const method = RequestMethod[verb];
    for (const path of paths(controller, handler)) {
      const surface = surfaceOf(path);
      const keepsLedger = surface === 'staff' || surface === 'connect';
      if (keepsLedger && !READING.has(method) && !mutation) {
        throw new Error(`${name} must declare its change: @Mutates(action) or @ChangesNothing(reason)`);
      }
      const refusals = (Reflect.getMetadata(ROUTE_ERROR_CODES, handler) as RouteErrorCodes | undefined) ?? {};
      this.all.push({
        method,
        path,
        surface,
        access,
        mutation,
        refusals,
        errorBodies: errorBodiesOf(handler),
        errorPages: errorPagesOf(handler),
        bodyExample: bodyExampleOf(handler),
        isComputedNow: isComputedNow(handler),
        deprecation: deprecationOf(handler),
      });
      this.table.add({ method, path, isPublic: access.isPublic, sharedSecret: access.sharedSecret });
    }
  }
}

/** Nest keeps a route's parameters under keys such as `4:0`: the kind, and the parameter's place. */
function hasQuery(controller: object, methodName: string): boolean {
  const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, methodName) as object | undefined;
  return Object.keys(parameters ?? {}).some((key) => key.startsWith(`${RouteParamtypes.QUERY}:`));
}

function paths(controller: object, handler: object): string[] {
  const of = (target: object) => [Reflect.getMetadata(PATH_METADATA, target) as string | string[]].flat();
  return of(controller).flatMap((prefix) =>
    of(handler).map((path) => `/${`${prefix}/${path}`.split('/').filter(Boolean).join('/')}`),
  );
}
