/** Called for each section of a provisioning document that was applied, in its transaction. */
export abstract class ProvisioningListener {
  abstract applied(section: string, rows: number): Promise<void>;
}
