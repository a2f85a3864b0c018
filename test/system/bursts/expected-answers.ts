/**
 * Permitted responses to a burst besides 2xx, by status and code (or message, on surfaces without codes). Any other response
 * fails the test: a burst that is rejected before the work begins measures nothing.
 */
const REASONS: Record<string, readonly string[]> = {
  // The first request of the burst changes the state; the others come too late.
  '409 invalid_transition': [
    ...['bookings_confirm', 'bookings_cancel', 'bookings_reinstate', 'bookingItems_cancel', 'bookingItems_reinstate'],
    // The bulk operation and the call-off of the demo data are done.
    ...['bulkOperations_pause', 'bulkOperations_resume', 'bulkOperations_cancel', 'bulkOperations_retry'],
    ...['callOffs_updateItem', 'callOffs_pause', 'callOffs_resume', 'callOffs_retry', 'callOffs_abandon'],
    ...['commissions_void', 'commissions_payOut', 'contracts_issue', 'contracts_void'],
    ...['departures_cancel', 'departures_reinstate', 'departures_closeSales', 'departures_openSales'],
    ...['messageTemplates_publish', 'messageTemplates_retire', 'imports_execute'],
    ...['documentTemplates_publish', 'documentTemplates_retire'],
    ...['departures_guarantee', 'invoices_issue', 'invoices_void', 'payments_reverse', 'payments_deallocate'],
    ...['periods_reopen', 'periods_file', 'policyVersions_publish', 'policyVersions_retire', 'refunds_complete'],
    ...['refunds_fail', 'supplierInvoices_approve', 'supplierInvoices_reopen', 'supplierInvoices_void'],
    ...['redemptions_delete', 'vouchers_reinstate'],
    ...['waitingEntries_accept', 'waitingEntries_update', 'waitingEntries_withdraw'],
    ...['priceLists_activate', 'products_activate', 'transfers_reverse', 'trips_book', 'trips_cancel'],
    ...['webhookEndpoints_activate', 'partnerWebhookEndpoints_activate'],
  ],
  '409 credit_note_final': ['creditNotes_issue'],
  '409 already_erased': ['erasures_execute'],
  '409 customer_archived': ['customers_archive'],
  '409 customer_merged': ['customers_merge'],
  '409 price_list_retired': ['priceLists_retire'],
  '409 product_archived': ['products_archive'],
  '409 invitation_closed': ['invitations_revoke'],
  '409 invoice_not_open': ['invoices_correct'],
  '409 nothing_released': ['allotments_reclaim'],
  '409 reindex_in_progress': ['catalog_reindex'],
  '409 settlement_done': ['settlements_settle'],
  '409 endpoint_limit_reached': ['webhookEndpoints_create', 'partnerWebhookEndpoints_create'],
  '409 delivery_pending': ['webhookDeliveries_replay', 'partnerWebhookDeliveries_replay'],
  '409 No destruction of this version is pending': ['vaultKeys_cancelDestruction'],
  '401 unauthorized': [
    ...['sessions_endCurrent', 'sessions_confirmSecondFactor', 'sessions_create'],
    // Only the mail server of the installation has the secret.
    ...['bounceMails_create', 'bounceReports_create'],
  ],
  '404 not_found': [
    ...[
      'allotments_delete',
      'attachments_delete',
      'catalogDocuments_delete',
      'creditNotes_delete',
      'facilities_archive',
      'imports_delete',
    ],
    'invoices_delete',
    ...[
      'notes_delete',
      'numberSeries_delete',
      'organizationProfile_removeLogo',
      'policyAssignments_delete',
      'sessions_endCurrent',
    ],
    ...[
      'productExtras_delete',
      'productOptions_delete',
      'productQuestions_delete',
      'productUnits_delete',
      'resourceAssignments_delete',
      'synonyms_delete',
      'travelers_delete',
      'tripComponents_remove',
      'webhookEndpoints_delete',
      'partnerWebhookEndpoints_delete',
    ],
    // The example names a row that the demo data does not contain, or that belongs to another user.
    ...['partnerBookings_get', 'partnerDepartures_get', 'staffBookings_get'],
    ...['notificationMessages_get', 'notificationMessages_resend', 'reminderRuns_retry'],
    ...['files_download', 'payments_get', 'publicContracts_get', 'sessions_end', 'tripAttentions_resolve'],
    ...['tripComponents_replace', 'tripComponents_retryConfirmation', 'users_removeSecondFactor'],
  ],
  // The example token is of no contract and no message.
  '404': [
    'contractPages_get',
    'contractPages_sign',
    'unsubscriptions_create',
    'unsubscriptions_get',
    'waitingOffers_answer',
    'waitingOffers_get',
  ],
  '409 already_reversed': ['ledgerEntries_reverse'],
  // All requests send the same values, which only one of them can take.
  '409 allotment_overlap': ['allotments_create'],
  '409 connection_exists': ['connections_create'],
  '409 resource_archived': ['resources_archive'],
  '409 resource_conflict': ['resourceAssignments_create'],
  '409 call_off_in_progress': ['callOffs_create'],
  '409 departure_cancelled': ['callOffs_create'],
  '409 operator_exists': ['operators_create'],
  '409 policy_assignment_overlap': ['policyAssignments_create'],
  '409 policy_slug_taken': ['policies_create'],
  '409 product_id_taken': ['products_create', 'products_copy'],
  '409 rate_taken': ['exchangeRates_record'],
  '409 tax_code_taken': ['taxCodes_create'],
  '409 tax_rate_overlap': ['taxCodes_addRate'],
  '409 already_suppressed': ['suppressions_create'],
  '409 suppression_lifted': ['suppressions_lift'],
  '409 already_redeemed': ['redemptions_redeem'],
  '409 already_dispatched': ['bookings_dispatch', 'invoices_dispatch', 'recordDocuments_dispatch'],
  '409 voucher_void': ['vouchers_void'],
  // The requests share a resource that is exhausted, or that another of them has changed meanwhile.
  '409 capacity_exceeded': ['bookingCopies_copy', 'bookingItems_add', 'bookingItems_update'],
  '409 component_unavailable': ['trips_price'],
  '409 trip_changed': ['trips_price', 'trips_reserve'],
  '409 trip_not_priced': ['trips_reserve'],
  '422 commission_exceeds_base': ['commissions_create'],
  '422 over_credited': ['creditNotes_create'],
  '422 over_refunded': ['refunds_request', 'transfers_create'],
  '409 secret_limit_reached': [
    ...['clientSecrets_rotate', 'webhookEndpoints_rotateSecret', 'partnerWebhookEndpoints_rotateSecret'],
  ],
  // The state of the demo data does not allow it.
  '409 beyond_tolerance': ['paymentSchedules_writeOff'],
  '409 document_still_open': ['numberSeries_releaseDate'],
  '409 not_abandonable': ['trips_abandon'],
  '409 period_out_of_order': ['periods_close'],
  '409 target_closed': ['reminderRuns_request'],
  '409 The destruction of this version is pending; cancel it first': ['vaultKeys_update'],
  '409 second_factor_inactive': [
    ...['secondFactors_activate', 'secondFactors_remove', 'secondFactors_replaceRecoveryCodes'],
    ...['sessions_reauthenticate'],
  ],
  // The example contains no valid secret, no ciphertext of this vault, no image and no day after the issue.
  '400 ciphertext cannot be decrypted': ['vaults_decrypt', 'vaults_rewrap'],
  '400 invalid_request': ['attachments_upload', 'invoices_deliver', 'organizationProfile_replaceLogo'],
  '422 current_password_wrong': ['passwords_change', 'secondFactors_setUp'],
  '422 link_invalid': ['invitations_accept', 'passwords_completeReset'],
  // The example is no ticket.
  '404 Not found': ['tickets_follow'],
  // The purpose of the operation is a redirect.
  '302': ['attachments_download', 'dataExports_download', 'recordDocuments_download', 'renditions_download'],
};

/** The caller exceeds its own share, and its connection may be closed for that. */
const LIMITED = ['429 rate_limited', '0'];

/** The answers that a burst of the operation must not get; an entry for the whole burst if all of it was limited. */
export function unexpectedAnswers(operationId: string, answers: readonly string[]): string[] {
  const isListed = (answer: string) => answer.startsWith('2') || REASONS[answer]?.includes(operationId) === true;
  const unexpected = answers.filter((answer) => !isListed(answer) && !LIMITED.includes(answer));
  return answers.some(isListed) || unexpected.length > 0 ? unexpected : answers.slice();
}

/** Each operation that a reason names. */
export const LISTED_OPERATIONS: readonly string[] = [...new Set(Object.values(REASONS).flat())];
