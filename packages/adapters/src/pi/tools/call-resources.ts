import { LeftBehind } from "./left-behind.ts";
import { SearchThreads } from "./search/search-threads.ts";

/** What the calls of a session leave for later ones, until it closes. */
export class CallResources {
  /** Processes that outlived their command. */
  readonly leftBehind = new LeftBehind();
  readonly searches = new SearchThreads();

  async close(): Promise<void> {
    await Promise.all([this.leftBehind.stopAll(), this.searches.close()]);
  }
}
