import { afterAll } from "vitest";
import { describeEmails } from "../../services/emails-suite.ts";
import { emailsFixture, openR2 } from "./fixture.ts";

const r2 = await openR2();
afterAll(() => r2.close());

describeEmails("R2", async () => emailsFixture(r2));
