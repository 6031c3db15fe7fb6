/** What the turns of one harness are made of. The turn streams text, runs a command that asks, puts a question and ends. */
export interface TurnScript {
  turn: string;
  /** A turn whose command does not end by itself and does not heed a friendly signal. */
  longCommand: string;
  /** A turn with one model call, which answers `word`. */
  answer(word: string): string;
}

const TEXT = "It streams in some pieces which take their time.";
const MARK = "echo ran | tee -a marker";
const LONG = `${MARK}; trap '' INT TERM HUP; echo started; sleep 600`;
const QUESTION = { questions: [{ header: "Colour", question: "which?", options: [{ label: "red", description: "" }, { label: "blue", description: "" }] }] };

export const SCRIPTED: TurnScript = {
  turn: `say [[slow: 0.03]] [[text: ${TEXT}]]\nrun ${MARK}\nask Colour: which? | red | blue\nsay [[text: end]]`,
  longCommand: `say [[text: ${TEXT}]]\nrun ${LONG}`,
  answer: (word) => `say [[text: ${word}]]`,
};

/** For a harness whose own model loop makes the calls. */
export const BY_MODEL: TurnScript = {
  turn: `[[slow: 0.03]] [[say: ${TEXT}]] [[shell: ${MARK}]] [[tool question ${JSON.stringify(QUESTION)}]] [[text: end]]`,
  longCommand: `[[say: ${TEXT}]] [[shell: ${LONG}]]`,
  answer: (word) => `[[text: ${word}]]`,
};

/** The project: its agent asks before every command. */
export const PROJECT: { [path: string]: string } = {
  "beeuni.yaml": "beeuni_version: 2\nproject:\n  name: crash\ndefault_agent: a\nagents:\n  a: {}\n",
  "agents/a.md": "---\nmode: primary\npermission:\n  bash: ask\n---\nYou are tested.\n",
};
