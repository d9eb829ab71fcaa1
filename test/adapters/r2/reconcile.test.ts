import { afterAll } from "vitest";
import { describePass } from "../../services/reconcile-suite.ts";
import { emailsFixture, openR2 } from "./fixture.ts";

const r2 = await openR2();
afterAll(() => r2.close());

describePass("R2", async () => emailsFixture(r2));
