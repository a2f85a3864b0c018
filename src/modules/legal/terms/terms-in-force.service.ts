import { Injectable } from '@nestjs/common';
import canonicalize from 'canonicalize';
import { Database } from '../../../platform/database/database.js';
import { digestOf } from '../contracts/contract-body.js';
import type { PolicyKind } from '../policies/policy-kind.js';
import { liveOn, PRECEDENCE } from './precedence.js';

/** What is sold, as far as it is known. */
export interface Sale {
  /** The day of the sale. */
  on: string;
  channelId: string | null;
  productIds: readonly string[];
}

/** A version that holds for a sale, or for a part of it. */
export interface TermsLine {
  kind: PolicyKind;
  policyId: string;
  policyVersionId: string;
  number: number;
  /** The version's. */
  sha256: string;
  /** The products for which it holds; null: for everything that no other line of its kind names. */
  productIds: string[] | null;
}

export interface Terms {
  lines: TermsLine[];
  /** SHA-256 of the canonical JSON (RFC 8785) of the lines. */
  sha256: string;
}

type Row = Omit<TermsLine, 'productIds'> & { productId: string | null };

/** The front door for whoever sells: the published versions that apply on a day. */
@Injectable()
export class TermsInForce {
  constructor(private readonly database: Database) {}

  /** Of every kind but `commission`, which is between us and a partner and not the customer's. */
  async of({ on, channelId, productIds }: Sale): Promise<Terms> {
    const rows = await this.database.prepared<Row>(
      'terms-in-force',
      `with asked as (select null as product_id union select unnest($3::text[]))
       select distinct on (a.kind, asked.product_id) a.kind, asked.product_id as "productId", v.policy_id as "policyId",
         v.id as "policyVersionId", v.number, v.sha256
       from asked
       join policy_assignments a on ${liveOn('$1')} and a.kind <> 'commission' and (
         a.scope = 'global' or a.scope = 'channel' and a.target_id = $2
         or a.scope = 'product' and a.target_id = asked.product_id)
       join policy_versions v on v.policy_id = a.policy_id and v.status = 'published'
       order by a.kind, asked.product_id nulls first, ${PRECEDENCE}`,
      [on, channelId, productIds],
    );
    const lines = linesOf(rows);
    return { lines, sha256: digestOf(canonicalize(lines) ?? '') };
  }
}

/** What holds in general, and what holds for products instead of it. Of a kind, the rows without a product come first. */
function linesOf(rows: readonly Row[]): TermsLine[] {
  const lines: TermsLine[] = [];
  for (const { productId, kind, policyId, policyVersionId, number, sha256 } of rows) {
    const line = lines.find((one) => one.kind === kind && one.policyVersionId === policyVersionId);
    const productIds = productId === null ? null : [productId];
    if (!line) lines.push({ kind, policyId, policyVersionId, number, sha256, productIds });
    else if (line.productIds !== null && productId !== null) line.productIds.push(productId);
  }
  return lines;
}
