import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { SESSION_CAPABILITY_IDS } from "@beeuni/protocol";
import type { Harness } from "@beeuni/harness";
import { CELLS } from "./cells/index.ts";
import { CONTRACT } from "./contract.ts";
import { FEATURE_PROOFS } from "./features.ts";
import { Kit } from "./kit.ts";
import type { KitOptions } from "./kit.ts";
import { beginReport } from "./report.ts";
import type { ConformanceReport } from "./report.ts";

export interface SuiteOptions extends Omit<KitOptions, "harness"> {
  /** Called when every test has ended. */
  report?: (report: ConformanceReport) => void | Promise<void>;
}

/**
 * Registers the conformance suite for one harness: the contract, one test for each cell of the support table at the level
 * that the table claims, and one for each session function. `makeHarness` is called once a test.
 */
export function describeHarness(name: string, makeHarness: () => Harness | Promise<Harness>, options: SuiteOptions): void {
  describe(`${name} conforms`, async () => {
    const report = beginReport(await makeHarness());
    after(() => options.report?.(report));

    const withKit = async (body: (kit: Kit) => Promise<void>): Promise<void> => {
      const kit = await Kit.start({ ...options, harness: await makeHarness() });
      try {
        await body(kit);
      } finally {
        await kit.dispose();
      }
    };

    for (const { title, prove } of CONTRACT) test(`contract: ${title}`, () => withKit(prove));

    for (const cell of CELLS) {
      const { level, reason } = report.cells[cell.key];
      test(`${cell.key} (${level}): ${level === "none" ? "the table says why not" : cell.title}`, async () => {
        if (level !== "exact") assert.ok(reason !== null && reason.length > 10, `the table gives no reason for "${level}"`);
        if (level !== "none") await withKit((kit) => cell.prove(kit, level));
        report.cells[cell.key].proven = true;
      });
    }

    for (const id of SESSION_CAPABILITY_IDS) {
      const listed = report.capabilities[id].listed;
      test(`${id}: ${listed ? "works" : "is not listed and not there"}`, async () => {
        await withKit(async (kit) => {
          const { session } = await kit.open();
          assert.equal(id in session.features && session.features[id] !== undefined, listed, `${id} is ${listed ? "listed and has no" : "not listed and has a"} method`);
          if (listed) await FEATURE_PROOFS[id](kit);
        });
        report.capabilities[id].proven = true;
      });
    }
  });
}
