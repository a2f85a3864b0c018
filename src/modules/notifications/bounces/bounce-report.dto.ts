import { dataOf } from '../../../platform/http/dto.js';
import { OneOf, Optional, Text } from '../../../platform/http/fields.js';
import { extensible, named } from '../../../platform/http/named-values.js';

export const REPORT_KINDS = named('BounceReportKind', ['bounce', 'complaint']);
export type ReportKind = (typeof REPORT_KINDS)[number];

/** The actions of RFC 3464, 2.3.3. */
export const DELIVERY_ACTIONS = named('DeliveryAction', ['failed', 'delayed', 'delivered', 'relayed', 'expanded']);
export type DeliveryAction = (typeof DELIVERY_ACTIONS)[number];

export const REPORT_RESULTS = extensible('BounceReportResult', ['recorded', 'repeated', 'ignored']);
export type ReportResult = (typeof REPORT_RESULTS)[number];

/** What a provider reports of a mail. */
export class ReportBounce {
  /**
   * `bounce`: the mail was not delivered; `complaint`: its recipient reported it as spam.
   * @example "bounce"
   */
  @OneOf(REPORT_KINDS)
  kind: ReportKind;

  /** Token of the envelope sender of the mail. Send either this or `envelopeSender`. */
  @Optional()
  @Text({ max: 100 })
  token?: string;

  /**
   * Envelope sender of the mail, to which reports are returned.
   * @example "bounces+01k0dem000e0000000000000010000000000000000000000000@bounces.example.com"
   */
  @Optional()
  @Text({ max: 320 })
  envelopeSender?: string;

  /**
   * What the mail server did, by RFC 3464; required for a bounce. Only `failed` has an effect: a delayed mail may still arrive.
   * @example "failed"
   */
  @Optional()
  @OneOf(DELIVERY_ACTIONS)
  action?: DeliveryAction;

  /**
   * Status code of RFC 3463; required for a bounce.
   * @example "5.1.1"
   */
  @Optional()
  @Text({ max: 11, pattern: /^[245]\.\d{1,3}\.\d{1,3}$/ })
  status?: string;
}

/** What was done with a report. */
class BounceReportResponse {
  /**
   * `recorded`; `repeated`: the same was reported of the mail before; `ignored`: no mail has the token, or the report is about no
   * failure.
   */
  @OneOf(REPORT_RESULTS)
  result: ReportResult;
}

export class BounceReportEnvelope extends dataOf(BounceReportResponse) {}
