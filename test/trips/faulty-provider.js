// @ts-check
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Behaviour of the simulated provider for a product. `lose_request` never reaches it; `lose_answer` takes effect, but the
 * answer is an error; `never_answer` takes effect, and the call never ends; `fail` has no effect. Times are milliseconds.
 * @typedef {object} Behaviour
 * @property {boolean} [sells] false: the provider does not know the product
 * @property {number} [priceCents] of one unit
 * @property {number} [taxIncludedCents]
 * @property {string} [currency]
 * @property {number} [holdSeconds]
 * @property {number} [cancellationCents] in the quote
 * @property {number} [cancelFeeCents] of the cancellation of a confirmed order
 * @property {number} [delayMs] of each call but lookups
 * @property {number} [quoteDelayMs] of a quote in addition
 * @property {'accept' | 'refuse' | 'lose_request' | 'lose_answer' | 'never_answer'} [hold]
 * @property {'accept' | 'refuse' | 'fail' | 'lose_answer' | 'never_answer'} [confirm]
 * @property {'accept' | 'fail' | 'lose_answer' | 'never_answer'} [cancel]
 * @property {boolean} [failsLookup]
 * @property {boolean} [failsRelease]
 */

/** The file is beside the orders, because a service in a separate process also reads it. */
export const BEHAVIOURS = `
  create table if not exists simulated_provider.behaviours (ref text primary key, behaviour jsonb not null);
  grant select on simulated_provider.behaviours to public`;

const ORDERS = 'simulated_provider.orders';
const UNDEFINED_TABLE = '42P01';
/** Test files of one worker process share the class. */
const IS_FAULTY = Symbol.for('faulty provider');

/**
 * Makes the class of the provider behave as the stored behaviours say.
 * @param {typeof import('../../src/modules/trips/providers/simulated-provider.js').SimulatedProvider} Provider
 */
export function addFaults({ prototype }) {
  if (IS_FAULTY in prototype) return;
  const { quote, hold, confirm, cancel, release, lookup } = prototype;
  Object.assign(prototype, {
    [IS_FAULTY]: true,
    /** @this {any} @param {any} request */
    async quote(request) {
      const { delayMs, quoteDelayMs, ...behaviour } = await behaviourOf(this, request.providerRef);
      await pause((delayMs ?? 0) + (quoteDelayMs ?? 0));
      const { priceCents, taxIncludedCents = 0, cancellationCents = 0, currency } = behaviour;
      if (behaviour.sells === false) return { available: false, reason: 'The provider does not sell this product' };
      const offer = await quote.call(this, request);
      if (priceCents === undefined) return offer;
      const { quantity } = request;
      const amounts = { totalCents: priceCents * quantity, taxCents: taxIncludedCents * quantity };
      return { ...offer, ...amounts, currency, cancellationCents };
    },
    /** @this {any} @param {string} key @param {any} order */
    async hold(key, order) {
      const behaviour = await behaviourOf(this, order.providerRef);
      await pause(behaviour.delayMs ?? 0);
      if (behaviour.hold === 'refuse') {
        return { held: false, code: 'sold_out', message: 'The provider rejected the hold' };
      }
      if (behaviour.hold === 'lose_request') throw new Error('The request never arrived');
      let result = await hold.call(this, key, order);
      if (result.held && behaviour.holdSeconds !== undefined) {
        const expiresAt = this.clock.inSeconds(behaviour.holdSeconds);
        await this.queryApart(`update ${ORDERS} set expires_at = $2 where key = $1`, [key, expiresAt]);
        result = { held: true, expiresAt };
      }
      return answer(behaviour.hold, result);
    },
    /** @this {any} @param {string} key @param {any} order */
    async confirm(key, order) {
      const behaviour = await behaviourOf(this, order.providerRef);
      await pause(behaviour.delayMs ?? 0);
      if (behaviour.confirm === 'refuse') return { code: 'refused', message: 'The provider did not confirm' };
      if (behaviour.confirm === 'fail') throw new Error('The provider did not confirm');
      return answer(behaviour.confirm, await confirm.call(this, key, order));
    },
    /** @this {any} @param {string} key @param {any} order */
    async cancel(key, order) {
      const behaviour = await behaviourOf(this, order.providerRef);
      await pause(behaviour.delayMs ?? 0);
      if (behaviour.cancel === 'fail') throw new Error('The provider did not cancel');
      if (behaviour.cancelFeeCents !== undefined) {
        const text = `update ${ORDERS} set fee_cents = $2 where key = $1 and state = 'confirmed'`;
        await this.queryApart(text, [key, behaviour.cancelFeeCents]);
      }
      return answer(behaviour.cancel, await cancel.call(this, key, order));
    },
    /** @this {any} @param {string} key @param {any} order */
    async release(key, order) {
      const behaviour = await behaviourOf(this, order.providerRef);
      await pause(behaviour.delayMs ?? 0);
      if (behaviour.failsRelease) throw new Error('The provider did not release the hold');
      await release.call(this, key, order);
    },
    /** @this {any} @param {string} key */
    async lookup(key) {
      const [order] = await this.queryApart(`select ref from ${ORDERS} where key = $1`, [key]);
      if (order && (await behaviourOf(this, order.ref)).failsLookup) {
        throw new Error('The provider did not report a status');
      }
      return lookup.call(this, key);
    },
  });
}

/** @param {any} provider @param {string} ref @returns {Promise<Behaviour>} */
async function behaviourOf(provider, ref) {
  try {
    const text = 'select behaviour from simulated_provider.behaviours where ref = $1';
    const [found] = await provider.queryApart(text, [ref]);
    return found?.behaviour ?? {};
  } catch (error) {
    // No test of this database has set a behaviour.
    if (/** @type {{ code?: string }} */ (error).code === UNDEFINED_TABLE) return {};
    throw error;
  }
}

/** @param {string | undefined} conduct @param {unknown} result */
async function answer(conduct, result) {
  if (conduct === 'lose_answer') throw new Error('The answer was lost');
  return conduct === 'never_answer' ? new Promise(() => undefined) : result;
}
