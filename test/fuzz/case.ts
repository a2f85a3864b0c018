import { setTimeout } from 'node:timers/promises';
import type { Placed } from '../contract/served-document.js';
import type { Contract } from '../setup/contract/contract.js';
import { type Connection, ConnectionLost, type WireAnswer } from './connection.js';
import { allowClosing, type Draft, draftOf, pathOf } from './draft.js';
import { exampleBody, exampleParameters } from './example.js';
import { faultsOf } from './oracles.js';
import { ownRow } from './own-row.js';
import { readBack } from './stored.js';
import { Random } from './random.js';
import { replay } from './replay.js';
import { bytesOf, type Tokens, type WireRequest, written } from './request.js';
import type { Document } from './schema.js';
import { change } from './strategies.js';

export type Watch = (request: WireRequest, answer: WireAnswer) => void;

export interface Target {
  readonly url: URL;
  readonly operations: readonly Placed[];
  readonly document: Document;
  readonly contract: Contract;
  readonly tokens: Tokens;
  readonly watch: Watch;
}

export interface Finding {
  readonly number: number;
  readonly operationId: string;
  /** The mutations of the request. */
  readonly mutations: readonly string[];
  readonly faults: readonly string[];
  readonly request: WireRequest;
}

const ATTEMPTS = 5;

/** One case: a row, the request, and further requests that depend on its response. Seed and number determine it. */
export class Case {
  readonly findings: Finding[] = [];
  readonly statuses: number[] = [];
  private readonly random: Random;
  private readonly operation: Placed;

  constructor(
    private readonly target: Target,
    private readonly connection: Connection,
    /** `run` distinguishes repeated runs on one database; it makes names unique. */
    private readonly place: { seed: string; number: number; run: string },
  ) {
    this.random = new Random(`${place.seed}/${place.number}`);
    const operation = target.operations[place.number % target.operations.length];
    if (!operation) throw new Error('The document contains no operation');
    this.operation = operation;
  }

  async run(): Promise<void> {
    const { random, operation, target } = this;
    const unique = `f${this.place.run}${this.place.seed}x${this.place.number.toString(36)}`;
    const sendForJson = (draft: Draft) => this.jsonOf(draft);
    const own = random.chance(0.6) ? await ownRow(operation, { ...target, random, unique, sendForJson }) : null;
    const parameters = own ?? exampleParameters(operation);
    const draft = draftOf(operation, { ...parameters }, exampleBody(operation, target.document, unique));
    change(draft, random, target.document);
    const answer = await this.send(draft);
    if (answer === null) return;
    const isDone = answer.status >= 200 && answer.status < 300;
    if (isDone) this.add(draft, await readBack(draft, answer, { ...target, sendForJson }));
    else if (random.chance(0.7)) return;
    this.add(draft, await replay(draft, { random, unique, send: (again) => this.send(again) }));
  }

  /** Sends the request and checks the response against all rules; null without a response. */
  private async send(draft: Draft): Promise<WireAnswer | null> {
    const { target, place } = this;
    const request = written(draft, `fuzz-${place.seed}-${place.number}-${this.statuses.length}`);
    if (!/^[\x21-\x7e]+$/.test(request.target)) allowClosing(draft);
    if (bytesOf({ ...request, body: null }, target.tokens).length > 16_000) draft.also.push(431);
    try {
      const answer = await this.answer(bytesOf(request, target.tokens), draft);
      target.watch(request, answer);
      this.add(draft, faultsOf({ draft, request, answer }, target.contract, target.tokens), request);
      return answer;
    } catch (error) {
      this.statuses.push(0);
      if (!(error instanceof ConnectionLost)) throw error;
      // The service need not respond to invalid HTTP.
      if (!draft.mayClose) this.add(draft, [`the connection was lost: ${error.message}`], request);
      return null;
    }
  }

  /** A busy service responds late; a service that stays busy is a finding. */
  private async answer(bytes: Buffer, draft: Draft): Promise<WireAnswer> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.connection.send(bytes, draft);
      this.statuses.push(answer.status);
      if (answer.status !== 503 || attempt === ATTEMPTS) return answer;
      await setTimeout(1_000 * Number(answer.headers['retry-after'] ?? 1));
    }
  }

  private async jsonOf(draft: Draft): Promise<unknown> {
    const answer = await this.send(draft);
    if (answer === null || answer.status > 299 || answer.text === '') return null;
    return JSON.parse(answer.text) as unknown;
  }

  private add(draft: Draft, faults: readonly string[], request = written(draft, `fuzz-${this.place.seed}`)): void {
    if (faults.length === 0) return;
    const { operationId } = draft.operation;
    const mutations = [...draft.mutations, pathOf(draft).slice(0, 200)];
    this.findings.push({ number: this.place.number, operationId, mutations, faults, request });
  }
}
