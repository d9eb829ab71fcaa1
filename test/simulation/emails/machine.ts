/** The email machine in a simulated world. */
import { type Machine, type Play, prefixOf, type Setting, type Stage } from "../machine.ts";
import { type EmailStage, operate, produce, work, writeTexts } from "./actors.ts";
import { type History, watchEmails } from "./history.ts";
import { mailOf, type PassStage, prepareOf, sourceOf } from "./mail.ts";

export const emails: Machine = {
  name: "emails",
  begin(setting: Setting): Play {
    const { world, truth, isHealing } = setting;
    const history = watchEmails(truth);
    const creations = new Map<string, number>();
    return {
      opening(process) {
        const pass: PassStage = { world, history, process, isHealing, prefixOf };
        const prepare = prepareOf(pass);
        return {
          app: {
            sources: [sourceOf(pass)],
            prepare: { "first-view": prepare, "two-clips": prepare },
            mail: mailOf(pass),
          },
          limits: { commandMs: 15_000 },
        };
      },
      live(stage: Stage) {
        const own: EmailStage = { ...stage, history, emails: stage.holdfast.emails };
        world.start(() => produce(own, creations));
        world.start(() => work(own));
        world.start(() => writeTexts(own));
        world.start(() => operate(own));
      },
      isQuiet: () => isQuiet(history),
      async checkEnd() {
        for (const [name, count] of creations) {
          if (count > 1) truth.blame(`${name} was told to be created ${count} times`);
        }
      },
    };
  },
};

const FINAL_STATES: ReadonlySet<unknown> = new Set(["sent", "cancelled", "failed"]);

function isQuiet(history: History): boolean {
  return history.keys().every((key) => {
    const last = history.of(key).at(-1);
    return last?.ours["void"] === true || FINAL_STATES.has(last?.fields["state"]);
  });
}
