import { type ExecutionContext, RequestMethod, SetMetadata } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants.js';

const READS_FROM = 'reads-from';
type ReadTarget = 'primary' | 'replica';

const known = new WeakMap<object, boolean>();

/**
 * Where the route, or each route of the controller, reads outside of transactions if the database has replicas. By default a
 * GET reads from a replica, and every other route from the primary.
 *
 * `primary`: what the route reads is combined with notifications, is cached for other requests, or precedes a write.
 * `replica`: a POST that only reads.
 */
export function ReadsFrom(target: ReadTarget): MethodDecorator & ClassDecorator {
  return SetMetadata(READS_FROM, target);
}

export function mayReadFromReplica(context: Pick<ExecutionContext, 'getHandler' | 'getClass'>): boolean {
  const handler = context.getHandler();
  const found = known.get(handler);
  if (found !== undefined) return found;
  const declared = [handler, context.getClass()].map(
    (target) => Reflect.getMetadata(READS_FROM, target) as ReadTarget | undefined,
  );
  const target = declared.find((one) => one !== undefined);
  const isGet = Reflect.getMetadata(METHOD_METADATA, handler) === RequestMethod.GET;
  const may = target === undefined ? isGet : target === 'replica';
  known.set(handler, may);
  return may;
}
