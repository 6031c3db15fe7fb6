import type { ManifestDocument } from "./document.ts";
import type { Manifest } from "./manifest.ts";

/**
 * One section of the manifest, one file. `read` reports what is wrong and puts what is right into `manifest`; sections run
 * in the order of `read-manifest.ts`, so a later one may look at what an earlier one has read.
 */
export interface Section {
  read(root: { readonly [key: string]: unknown }, document: ManifestDocument, manifest: Manifest, options: { runtimes: readonly string[] }): void;
}
