import { SESSION_CAPABILITY_IDS, type SessionCapability } from "@beeuni/protocol";
import type { SessionFeatures } from "@beeuni/harness";

/** The session functions that this adapter has a method for. None yet: an id joins the list with its method. */
export const features: SessionFeatures = {};

export const capabilities: readonly SessionCapability[] = SESSION_CAPABILITY_IDS.filter((id) => features[id] !== undefined);
